package io.lockstarter.engine.event;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockThreads;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Notification of listeners about renewals, in order, on a thread that no lock depends
 * on. Logs the name of a listener that blocks this thread, even if the listener never
 * returns.
 */
final class RenewalNotifier {

	private static final LockLog logger = LockLog.of(RenewalNotifier.class);

	/**
	 * Maximum number of queued events. Further events are dropped, because a listener may
	 * hang.
	 */
	private static final int MOST = 10_000;

	/** Time after which a call of a listener is logged as slow: 1 s. */
	private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Minimum time between two warnings about the same listener type: 1 min. */
	private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Workers thread = new Workers(LockThreads.daemons("lock-renewals"), 1, 0);

	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicInteger dropped = new AtomicInteger();

	private final Map<Class<?>, Long> warned = new ConcurrentHashMap<>();

	private volatile @Nullable Call current;

	/**
	 * Queues an event, or drops it if too many are queued.
	 */
	void publish(Runnable notification) {
		Call slow = this.current;
		if (slow != null) {
			warnIfSlow(slow);
		}
		if (this.waiting.incrementAndGet() > MOST) {
			this.waiting.decrementAndGet();
			this.dropped.incrementAndGet();
			return;
		}
		this.thread.execute(() -> {
			this.waiting.decrementAndGet();
			notification.run();
		}, (refusal) -> {
			this.waiting.decrementAndGet();
			this.dropped.incrementAndGet();
		});
	}

	/**
	 * Calls a listener and measures the time. Runs on the thread of the notifications.
	 */
	void calling(LockListener listener, Runnable call) {
		Call begun = new Call(listener.getClass(), System.nanoTime());
		this.current = begun;
		try {
			call.run();
		}
		finally {
			this.current = null;
			warnIfSlow(begun);
		}
	}

	private void warnIfSlow(Call call) {
		long now = System.nanoTime();
		long taken = now - call.since();
		if (taken < SLOW_NANOS) {
			return;
		}
		Long before = this.warned.get(call.listener());
		if (before != null && now - before < QUIET_NANOS) {
			return;
		}
		if ((before != null) ? this.warned.replace(call.listener(), before, now)
				: this.warned.putIfAbsent(call.listener(), now) == null) {
			warn(call.listener(), TimeUnit.NANOSECONDS.toMillis(taken));
		}
	}

	private void warn(Class<?> listener, long millis) {
		logger.warn(String.format(Locale.ROOT,
				"Lock listener of type %s has taken %d ms for a renewal: leases are still renewed, but listeners are notified late (%d events wait, %d were dropped); move long work to another thread",
				listener.getName(), millis, this.waiting.get(), this.dropped.get()));
	}

	void close() {
		this.thread.close();
	}

	/**
	 * Call of a listener that has not returned.
	 *
	 * @param listener its class
	 * @param since the start of the call, by the monotonic clock in nanoseconds
	 */
	private record Call(Class<?> listener, long since) {
	}

}
