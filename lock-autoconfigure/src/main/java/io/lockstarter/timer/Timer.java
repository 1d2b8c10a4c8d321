package io.lockstarter.timer;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.core.LockThreads;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Runs short tasks on time, on one thread that never blocks on anything else.
 * <p>
 * Scheduling wakes that thread only for a task that is due before it wakes by itself, and
 * cancelling removes the task at once: a task that is always cancelled in time costs no
 * context switch and leaves nothing behind. Neither takes a lock, so that a thread which
 * must not block can do both. Thread-safe.
 */
public final class Timer implements AutoCloseable {

	private static final LockLog logger = LockLog.of(Timer.class);

	/** After how many urgent tasks a round ends, even if more are due. */
	private static final int ROUND = 100;

	/** Longest sleep while there is a task and sleeps are watched: 100 ms. */
	private static final long LONGEST_WATCHED_SLEEP_NANOS = 100_000_000;

	private static final long FARTHEST = Long.MAX_VALUE / 4;

	/** How long it lives on for the tasks that are left. */
	private static final long LINGER_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long ORIGIN = System.nanoTime();

	/** What harms a lock if it is late, and is done first. */
	private final ConcurrentSkipListSet<Task> urgent = new ConcurrentSkipListSet<>();

	private final ConcurrentSkipListSet<Task> tasks = new ConcurrentSkipListSet<>();

	private final AtomicLong ids = new AtomicLong();

	private final Thread thread;

	private final long longestSleepNanos;

	private final Runnable afterSleep;

	private final Runnable afterRound;

	private volatile long sleepsUntil = Long.MIN_VALUE;

	/** Later than this no task runs; {@link Long#MAX_VALUE} until it is closed. */
	private volatile long end = Long.MAX_VALUE;

	/**
	 * Start the thread.
	 * @param afterSleep is run whenever the thread has slept, which while there is a task
	 * it does for a tenth of a second at most
	 * @param afterRound is run after each round of due urgent tasks
	 */
	public Timer(String name, Runnable afterSleep, Runnable afterRound) {
		this(name, LONGEST_WATCHED_SLEEP_NANOS, afterSleep, afterRound);
	}

	/**
	 * Starts the thread of a timer that runs tasks and nothing else.
	 * @param name the name of the thread
	 */
	public Timer(String name) {
		this(name, FARTHEST, () -> {
		}, () -> {
		});
	}

	private Timer(String name, long longestSleepNanos, Runnable afterSleep, Runnable afterRound) {
		this.longestSleepNanos = longestSleepNanos;
		this.afterSleep = afterSleep;
		this.afterRound = afterRound;
		this.thread = LockThreads.daemon(name, this::run);
		this.thread.start();
	}

	/** Run an action once, in the given number of nanoseconds. */
	public Task in(long nanos, Runnable action) {
		return at(System.nanoTime() + Math.min(nanos, FARTHEST), action);
	}

	/**
	 * Run an action once, at a time of {@link System#nanoTime()}. Where more is due than
	 * can be done in time, it comes before all that is not urgent.
	 */
	public Task urgentlyAt(long nanoTime, Runnable action) {
		return at(nanoTime, action, this.urgent);
	}

	/** Run an action once, at a time of {@link System#nanoTime()}. */
	Task at(long nanoTime, Runnable action) {
		return at(nanoTime, action, this.tasks);
	}

	private Task at(long nanoTime, Runnable action, Set<Task> tasks) {
		Task task = new Task(nanoTime - ORIGIN, this.ids.incrementAndGet(), action, tasks);
		tasks.add(task);
		if (task.due < this.sleepsUntil) {
			LockSupport.unpark(this.thread);
		}
		return task;
	}

	/** Completes when what is urgent and due by now has been done. */
	public CompletableFuture<?> caughtUp() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// Urgent tasks may be added while one that is not begins; all are run before the
		// next one.
		in(0, () -> in(0, () -> done.complete(null)));
		return done;
	}

	private void run() {
		AtomicBoolean over = new AtomicBoolean();
		while (!over.get()) {
			guarded(() -> {
				over.set(isOver(nextDue()));
				if (!over.get()) {
					step();
				}
			});
		}
		this.urgent.clear();
		this.tasks.clear();
	}

	private boolean isOver(long next) {
		return this.end != Long.MAX_VALUE && next > this.end;
	}

	private void step() {
		this.sleepsUntil = Long.MIN_VALUE;
		guarded(this.afterSleep);
		runDue();
		long next = nextDue();
		long until = Math.min(next, longestSleep(next));
		this.sleepsUntil = until;
		// A task added before the line above did not wake this thread.
		if (nextDue() >= until && !isOver(next)) {
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
			if (++ran % ROUND == 0) {
				guarded(this.afterRound);
			}
		}
		if (ran > 0) {
			guarded(this.afterRound);
		}
	}

	private static void run(Task task) {
		if (task.take()) {
			guarded(task.action);
		}
	}

	private static void guarded(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			// Whatever happens to one task, the others keep their time.
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
	 * End as soon as no task is left that is due within a minute. Others are dropped.
	 */
	@Override
	public void close() {
		this.end = System.nanoTime() - ORIGIN + LINGER_NANOS;
		LockSupport.unpark(this.thread);
	}

	/**
	 * An action that is to run.
	 */
	public static final class Task implements Comparable<Task> {

		private final long due;

		private final long id;

		private final Runnable action;

		private final Set<Task> tasks;

		private volatile boolean taken;

		private Task(long due, long id, Runnable action, Set<Task> tasks) {
			this.due = due;
			this.id = id;
			this.action = action;
			this.tasks = tasks;
		}

		/** Do not run the action, if it has not begun. */
		public void cancel() {
			take();
		}

		/** Take it out of the tasks, unless that was done before. */
		private boolean take() {
			if (this.taken || !this.tasks.remove(this)) {
				return false;
			}
			this.taken = true;
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
