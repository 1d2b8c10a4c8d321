package io.lockstarter.engine.event;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Executor of tasks on a bounded number of threads, in the order of submission.
 * <p>
 * If a thread cannot be started while another thread is alive, that one runs the task. If
 * no thread is alive, each waiting task is refused through its own callback. A pool of
 * the JDK would throw, and would leave the task in its queue without a thread.
 */
final class Workers implements AutoCloseable {

	private static final LockLog logger = LockLog.of(Workers.class);

	/** Time after which an idle thread ends: 10 s. */
	private static final long LONGEST_IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final ThreadFactory factory;

	private final int most;

	private final int least;

	private final Queue<Task> tasks = new ArrayDeque<>();

	private int threads;

	private int idle;

	private boolean closed;

	/**
	 * Creates an executor without starting a thread.
	 * @param most the maximum number of threads
	 * @param least the number of threads that stay alive while idle, once they have
	 * started
	 */
	Workers(ThreadFactory factory, int most, int least) {
		this.factory = factory;
		this.most = most;
		this.least = least;
	}

	/**
	 * Runs a task on another thread, now or later.
	 * @param refused is called instead with the cause, on the current thread or the one
	 * that failed, if no thread can be started
	 */
	void execute(Runnable action, Consumer<Throwable> refused) {
		boolean start;
		try {
			start = add(new Task(action, refused));
		}
		catch (Throwable ex) {
			refused.accept(ex);
			return;
		}
		if (start) {
			start();
		}
	}

	/** Queues a task, and returns whether a thread has to be started for it. */
	private synchronized boolean add(Task task) {
		this.tasks.add(task);
		if (this.idle > 0) {
			notify();
		}
		if (this.idle >= this.tasks.size() || this.threads >= this.most) {
			return false;
		}
		this.threads++;
		return true;
	}

	/** Starts a thread if none is alive. */
	void prepare() {
		synchronized (this) {
			if (this.closed || this.threads > 0) {
				return;
			}
			this.threads++;
		}
		start();
	}

	private void start() {
		try {
			this.factory.newThread(this::work).start();
		}
		catch (Throwable ex) {
			withoutThread(ex);
		}
	}

	private void withoutThread(Throwable cause) {
		leftToNobody().forEach((task) -> task.refused().accept(cause));
	}

	/** Counts a thread that has ended, and returns the tasks that have no thread left. */
	private synchronized List<Task> leftToNobody() {
		this.threads--;
		if (this.threads > 0) {
			return List.of();
		}
		List<Task> left = List.copyOf(this.tasks);
		this.tasks.clear();
		return left;
	}

	private void work() {
		try {
			for (Task task = next(); task != null; task = next()) {
				guarded(task.action());
				// The interrupt was meant for the task.
				Thread.interrupted();
			}
		}
		catch (Throwable ex) {
			// Not even the failure could be logged.
			withoutThread(ex);
		}
	}

	private static void guarded(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			logger.error("A callback of a lock failed", ex);
		}
	}

	/** Returns the next task, or {@code null} if the thread has to end. */
	private synchronized @Nullable Task next() {
		long idleUntil = System.nanoTime() + LONGEST_IDLE_NANOS;
		while (this.tasks.isEmpty()) {
			long left = idleUntil - System.nanoTime();
			if (this.closed || (left <= 0 && this.threads > this.least)) {
				this.threads--;
				return null;
			}
			this.idle++;
			try {
				TimeUnit.NANOSECONDS.timedWait(this, (left > 0) ? left : LONGEST_IDLE_NANOS);
			}
			catch (InterruptedException ex) {
				logger.debug("An interrupt arrived after the end of its task", ex);
			}
			finally {
				this.idle--;
			}
		}
		return this.tasks.remove();
	}

	/** Stops idle threads. Later tasks are still run. */
	@Override
	public synchronized void close() {
		this.closed = true;
		notifyAll();
	}

	/**
	 * Queued task.
	 *
	 * @param action the action to run
	 * @param refused is called instead if the action cannot run
	 */
	private record Task(Runnable action, Consumer<Throwable> refused) {
	}

}
