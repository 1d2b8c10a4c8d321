package io.lockstarter.timer;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.core.LockThreads;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Timer for short tasks, on one thread that never blocks on anything else.
 * <p>
 * Scheduling wakes the thread only for a task that is due before the thread wakes by
 * itself. Cancelling removes the task immediately. So a task that is cancelled in time
 * costs no context switch and leaves nothing behind. Neither operation takes a lock, so a
 * thread that must not block can use both. Thread-safe.
 */
public final class Timer implements AutoCloseable {

	private static final LockLog logger = LockLog.of(Timer.class);

	/** Maximum number of urgent tasks in a round. */
	private static final int MAX_ROUND = 100;

	/** Maximum sleep while there is a task and sleeps are watched: 100 ms. */
	private static final long MAX_WATCHED_SLEEP_NANOS = 100_000_000;

	/** Maximum delay of a task, in nanoseconds, which avoids overflows. */
	private static final long MAX_DELAY_NANOS = Long.MAX_VALUE / 4;

	/** Maximum delay of tasks for which the thread of a closed timer waits: 1 min. */
	private static final long LINGER_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long ORIGIN = System.nanoTime();

	/** Tasks that harm a lock if they are late, and therefore run first. */
	private final ConcurrentSkipListSet<Task> urgent = new ConcurrentSkipListSet<>();

	private final ConcurrentSkipListSet<Task> tasks = new ConcurrentSkipListSet<>();

	private final AtomicLong ids = new AtomicLong();

	private final ThreadFactory threads;

	private final AtomicBoolean running = new AtomicBoolean();

	private final long longestSleepNanos;

	private final Runnable afterSleep;

	private final Runnable afterRound;

	/** The thread that runs tasks, or ran them last. */
	private volatile @Nullable Thread thread;

	private volatile long sleepsUntil = Long.MIN_VALUE;

	private volatile boolean closed;

	/**
	 * Starts the thread of a timer that reports its sleeps and rounds.
	 * @param name the name of the thread
	 * @param afterSleep is run whenever the thread has slept; while there is a task, the
	 * thread sleeps for at most 100 ms
	 * @param afterRound is run after each round of due urgent tasks
	 */
	public Timer(String name, Runnable afterSleep, Runnable afterRound) {
		this(name, MAX_WATCHED_SLEEP_NANOS, afterSleep, afterRound);
	}

	/**
	 * Starts the thread of a timer that runs tasks and nothing else.
	 * @param name the name of the thread
	 */
	public Timer(String name) {
		this(name, MAX_DELAY_NANOS, () -> {
		}, () -> {
		});
	}

	private Timer(String name, long longestSleepNanos, Runnable afterSleep, Runnable afterRound) {
		this.longestSleepNanos = longestSleepNanos;
		this.afterSleep = afterSleep;
		this.afterRound = afterRound;
		this.threads = LockThreads.daemons(name);
		ensureRunning();
	}

	/** Runs an action once, after a delay in nanoseconds. */
	public Task in(long nanos, Runnable action) {
		return at(System.nanoTime() + Math.min(nanos, MAX_DELAY_NANOS), action);
	}

	/**
	 * Runs an action once, at a time of {@link System#nanoTime()}. When the timer is
	 * overloaded, urgent actions run before all others.
	 */
	public Task urgentlyAt(long nanoTime, Runnable action) {
		return at(nanoTime, action, this.urgent);
	}

	/** Runs an action once, at a time of {@link System#nanoTime()}. */
	Task at(long nanoTime, Runnable action) {
		return at(nanoTime, action, this.tasks);
	}

	private Task at(long nanoTime, Runnable action, Set<Task> tasks) {
		Task task = new Task(nanoTime - ORIGIN, this.ids.incrementAndGet(), action, tasks);
		tasks.add(task);
		if (task.due < this.sleepsUntil) {
			LockSupport.unpark(this.thread);
		}
		ensureRunning();
		return task;
	}

	/** Starts a thread if none is running, because that of the closed timer has ended. */
	private void ensureRunning() {
		if (!this.running.get() && this.running.compareAndSet(false, true)) {
			try {
				this.threads.newThread(this::run).start();
			}
			catch (Error ex) {
				// No thread could be started. The next task tries again.
				this.running.set(false);
				throw ex;
			}
		}
	}

	/**
	 * Returns a future that completes once all urgent tasks that are due now have run.
	 */
	public CompletableFuture<?> caughtUp() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// Urgent tasks may be added while another task begins. All of them run before the
		// next task.
		in(0, () -> in(0, () -> done.complete(null)));
		return done;
	}

	private void run() {
		do {
			this.thread = Thread.currentThread();
			AtomicBoolean ended = new AtomicBoolean();
			while (!ended.get()) {
				guarded(() -> {
					ended.set(hasEnded(nextDue()));
					if (!ended.get()) {
						step();
					}
				});
			}
			guarded(() -> {
				drop(this.urgent);
				drop(this.tasks);
			});
			this.running.set(false);
			// A task that was added before the line above has started no thread.
		}
		while (!hasEnded(nextDue()) && this.running.compareAndSet(false, true));
	}

	private boolean hasEnded(long next) {
		return this.closed && next > lingersUntil();
	}

	private static long lingersUntil() {
		return System.nanoTime() - ORIGIN + LINGER_NANOS;
	}

	/** Removes the tasks that the thread of a closed timer does not wait for. */
	private static void drop(Set<Task> tasks) {
		long until = lingersUntil();
		tasks.removeIf((task) -> task.due > until);
	}

	private void step() {
		this.sleepsUntil = Long.MIN_VALUE;
		guarded(this.afterSleep);
		runDue();
		long next = nextDue();
		long until = Math.min(next, longestSleep(next));
		this.sleepsUntil = until;
		// A task added before the line above did not wake this thread.
		if (nextDue() >= until && !hasEnded(next)) {
			sleepUntil(until);
		}
	}

	private void runDue() {
		runUrgent();
		for (Task task = firstDue(this.tasks); task != null; task = firstDue(this.tasks)) {
			run(task);
			runUrgent();
		}
	}

	private void runUrgent() {
		int ran = 0;
		for (Task task = firstDue(this.urgent); task != null; task = firstDue(this.urgent)) {
			run(task);
			if (++ran % MAX_ROUND == 0) {
				guarded(this.afterRound);
			}
		}
		if (ran > 0) {
			guarded(this.afterRound);
		}
	}

	private static void run(Task task) {
		if (task.remove()) {
			guarded(task.action);
		}
	}

	private static void guarded(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			// A failed task must not delay the others.
			logger.error("A timed task failed", ex);
		}
	}

	private static @Nullable Task firstDue(Set<Task> tasks) {
		Task first = first(tasks);
		return (first != null && first.due <= System.nanoTime() - ORIGIN) ? first : null;
	}

	private static @Nullable Task first(Set<Task> tasks) {
		// first() throws on an empty set, and the set may become empty at any time.
		var iterator = tasks.iterator();
		return iterator.hasNext() ? iterator.next() : null;
	}

	private long nextDue() {
		return Math.min(nextDue(this.urgent), nextDue(this.tasks));
	}

	private static long nextDue(Set<Task> tasks) {
		Task first = first(tasks);
		return (first != null) ? first.due : Long.MAX_VALUE;
	}

	private long longestSleep(long next) {
		return (next != Long.MAX_VALUE) ? System.nanoTime() - ORIGIN + this.longestSleepNanos : Long.MAX_VALUE;
	}

	private void sleepUntil(long time) {
		if (time == Long.MAX_VALUE) {
			LockSupport.park(this);
		}
		else {
			LockSupport.parkNanos(this, time - (System.nanoTime() - ORIGIN));
		}
	}

	int size() {
		return this.urgent.size() + this.tasks.size();
	}

	/**
	 * Ends the thread once no task is due within a minute. The remaining tasks are
	 * dropped. Tasks that are scheduled later still run if they are due within a minute.
	 */
	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
	}

	/**
	 * Scheduled action.
	 */
	public static final class Task implements Comparable<Task> {

		private final long due;

		private final long id;

		private final Runnable action;

		private final Set<Task> tasks;

		private volatile boolean removed;

		private Task(long due, long id, Runnable action, Set<Task> tasks) {
			this.due = due;
			this.id = id;
			this.action = action;
			this.tasks = tasks;
		}

		/** Cancels the action if it has not begun. */
		public void cancel() {
			remove();
		}

		/**
		 * Removes the task from the set. Returns {@code false} if it was removed before.
		 */
		private boolean remove() {
			if (this.removed || !this.tasks.remove(this)) {
				return false;
			}
			this.removed = true;
			return true;
		}

		@Override
		public int compareTo(Task other) {
			int order = Long.compare(this.due, other.due);
			return (order != 0) ? order : Long.compare(this.id, other.id);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return Long.hashCode(this.id);
		}

	}

}
