package io.lockstarter.testing;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Lets a test that failed be run again only if the machine was seen to stand still
 * meanwhile, or its host to take processors away: locks are about time, and a lease of a
 * second that nobody could renew for a second is rightly lost. The build runs again
 * whatever failed; this extension, which is registered for all tests, fails it at once if
 * it had no such excuse.
 */
public final class SecondTry implements BeforeEachCallback, AfterEachCallback {

	/** Less is no excuse; the shortest time that means something to a lock is 10 ms. */
	static final Duration EXCUSE = Duration.ofMillis(20);

	private static final Standstills STANDSTILLS = Standstills.watched();

	private static final Map<String, Throwable> WITHOUT_EXCUSE = new ConcurrentHashMap<>();

	private final Standstills standstills;

	private final Supplier<Duration> stolen;

	public SecondTry() {
		this(STANDSTILLS, StolenTime::total);
	}

	SecondTry(Standstills standstills, Supplier<Duration> stolen) {
		this.standstills = standstills;
		this.stolen = stolen;
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		Throwable failure = WITHOUT_EXCUSE.get(context.getUniqueId());
		if (failure != null) {
			throw new AssertionError("Not run again: it failed without an excuse, or may have none", failure);
		}
		store(context).put("begin", new Begin(System.nanoTime(), this.stolen.get()));
	}

	@Override
	public void afterEach(ExtensionContext context) {
		Begin begin = store(context).get("begin", Begin.class);
		Throwable failure = context.getExecutionException().orElse(null);
		if (begin == null || failure == null || failure instanceof TestAbortedException) {
			return;
		}
		Duration standstill = this.standstills.between(begin.nanos, System.nanoTime());
		Duration stolen = this.stolen.get().minus(begin.stolen);
		System.out.printf("Failed while the machine stood still for %d ms, and %d ms were stolen from it: %s%n",
				standstill.toMillis(), stolen.toMillis(), context.getUniqueId());
		boolean excused = standstill.compareTo(EXCUSE) >= 0 || stolen.compareTo(EXCUSE) >= 0;
		if (!excused || hasOneTry(context)) {
			WITHOUT_EXCUSE.put(context.getUniqueId(), failure);
		}
	}

	private static boolean hasOneTry(ExtensionContext context) {
		return AnnotationSupport.isAnnotated(context.getElement(), OneTry.class)
				|| AnnotationSupport.isAnnotated(context.getTestClass(), OneTry.class);
	}

	private static ExtensionContext.Store store(ExtensionContext context) {
		return context.getStore(ExtensionContext.Namespace.create(SecondTry.class));
	}

	private record Begin(long nanos, Duration stolen) {
	}

}
