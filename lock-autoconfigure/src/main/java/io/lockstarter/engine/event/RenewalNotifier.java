package io.lockstarter.engine.event;

import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockThreads;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Notification of listeners about renewals, in order, on a thread that no lock depends
 * on. Leases are renewed in batches, so the notifications also collect for a moment:
 * waking the thread for each of them would cost more than the renewals. Logs the name of
 * a listener that blocks this thread, even if the listener never returns.
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

	private final Queue<Runnable> notifications = new ConcurrentLinkedQueue<>();

	/** Number of queued events. */
	private final AtomicInteger waiting = new AtomicInteger();

	/** True from the first event that waits until the thread takes the events. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final AtomicInteger dropped = new AtomicInteger();

	private final Map<Class<?>, Long> warned = new ConcurrentHashMap<>();

	private final Consumer<Runnable> later;

	private volatile @Nullable Call current;

	/**
	 * Creates the notification without starting its thread.
	 * @param later runs an action after a short time
	 */
	RenewalNotifier(Consumer<Runnable> later) {
		this.later = later;
	}

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
		this.notifications.add(notification);
		if (this.scheduled.compareAndSet(false, true)) {
			this.later.accept(this::start);
		}
	}

	/** Starts the notifications, or tries again later if no thread can be started. */
	private void start() {
		this.thread.execute(this::runAll, (refusal) -> this.later.accept(this::start));
	}

	private void runAll() {
		this.scheduled.set(false);
		for (Runnable next = this.notifications.poll(); next != null; next = this.notifications.poll()) {
			this.waiting.decrementAndGet();
			next.run();
		}
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

	/** Notifies listeners of the events that are queued, and then ends the thread. */
	void close() {
		if (!this.notifications.isEmpty()) {
			this.thread.execute(this::runAll, (refusal) -> logger.debug("Renewals were not published", refusal));
		}
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
