package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the locks of all instances. However many viewers there are, the backend is
 * asked for their first page once a second.
 */
final class SharedLooks {

	/** A little less than a page waits between two questions. */
	private static final long SHARED_NANOS = Duration.ofMillis(900).toNanos();

	private final int size;

	private final LongSupplier nanoTime;

	private final Map<LockMonitor, Look> latest = new ConcurrentHashMap<>();

	/**
	 * Look at nothing yet.
	 * @param size how many locks fill a page
	 */
	SharedLooks(int size, LongSupplier nanoTime) {
		this.size = size;
		this.nanoTime = nanoTime;
	}

	/**
	 * Look, or join whoever has just begun to.
	 * @param from where to begin, if not at the first lock
	 */
	Look at(LockMonitor monitor, @Nullable String from) {
		if (from != null) {
			return begin(monitor, from);
		}
		return this.latest.compute(monitor,
				(key, last) -> (last != null && this.nanoTime.getAsLong() - last.begunAt() < SHARED_NANOS) ? last
						: begin(monitor, ""));
	}

	/** For how long a look has been under way, or over. */
	Duration age(Look look) {
		return Duration.ofNanos(this.nanoTime.getAsLong() - look.begunAt());
	}

	private Look begin(LockMonitor monitor, String from) {
		return new Look(this.nanoTime.getAsLong(), monitor.health(), monitor.locks(from, this.size));
	}

	/**
	 * One look.
	 *
	 * @param begunAt when it was begun
	 * @param health how the backend is
	 * @param page the locks
	 */
	record Look(long begunAt, CompletableFuture<LockMonitor.Health> health,
			CompletableFuture<LockMonitor.LockPage> page) {

		/** Whether it is over, whatever came of it, after a time of waiting at most. */
		boolean isOverWithin(long nanos) throws InterruptedException {
			CompletableFuture<Void> over = CompletableFuture.allOf(this.health, this.page);
			try {
				over.get(nanos, TimeUnit.NANOSECONDS);
				return true;
			}
			catch (ExecutionException ex) {
				return true;
			}
			catch (TimeoutException ex) {
				return false;
			}
		}

	}

}
