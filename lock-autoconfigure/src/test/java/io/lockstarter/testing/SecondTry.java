package io.lockstarter.testing;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * Lets a test that failed be run again only if the machine was seen to stand still
 * meanwhile: locks are about time, and a lease of a second that nobody could renew for a
 * second is rightly lost. The build runs again whatever failed; this extension, which is
 * registered for all tests, fails it at once if it had no such excuse.
 */
public final class SecondTry implements BeforeEachCallback, AfterEachCallback {

	/** Less is no excuse: leases and time bounds in tests are longer. */
	static final Duration EXCUSE = Duration.ofMillis(50);

	private static final Standstills STANDSTILLS = Standstills.watched();

	private static final Map<String, Throwable> WITHOUT_EXCUSE = new ConcurrentHashMap<>();

	private final Standstills standstills;

	public SecondTry() {
		this(STANDSTILLS);
	}

	SecondTry(Standstills standstills) {
		this.standstills = standstills;
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		Throwable failure = WITHOUT_EXCUSE.get(context.getUniqueId());
		if (failure != null) {
			throw new AssertionError("Not run again: the machine did not stand still when it failed", failure);
		}
		store(context).put("start", System.nanoTime());
	}

	@Override
	public void afterEach(ExtensionContext context) {
		Long start = store(context).get("start", Long.class);
		Throwable failure = context.getExecutionException().orElse(null);
		if (start == null || failure == null || failure instanceof TestAbortedException) {
			return;
		}
		Duration standstill = this.standstills.between(start, System.nanoTime());
		System.out.printf("Failed while the machine stood still for %d ms in all: %s%n", standstill.toMillis(),
				context.getUniqueId());
		if (standstill.compareTo(EXCUSE) < 0) {
			WITHOUT_EXCUSE.put(context.getUniqueId(), failure);
		}
	}

	private static ExtensionContext.Store store(ExtensionContext context) {
		return context.getStore(ExtensionContext.Namespace.create(SecondTry.class));
	}

}
