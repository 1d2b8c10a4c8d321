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
 * Runs tasks on a bounded number of threads, which begin them in their order.
 * <p>
 * A thread that cannot be started does no harm while another one lives, which goes on to
 * the task. Where none lives, the tasks are refused, each by its own word. The JDK's pool
 * keeps to neither: it throws and leaves the task to nobody.
 */
final class Workers implements AutoCloseable {

	private static final LockLog logger = LockLog.of(Workers.class);

	private static final long LONGEST_IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final ThreadFactory factory;

	private final int most;

	private final int least;

	private final Queue<Task> tasks = new ArrayDeque<>();

	private int threads;

	private int idle;

	private boolean closed;

	/**
	 * Begin without a thread.
	 * @param most how many threads there are at most
	 * @param least how many stay when there is nothing to do, once they are there
	 */
	Workers(ThreadFactory factory, int most, int least) {
		this.factory = factory;
		this.most = most;
		this.least = least;
	}

	/**
	 * Run a task on a thread of its own, now or later, and never on the calling one.
	 * @param refused is told instead why no thread can be had, on the thread that found
	 * that
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

	/** Whether a thread is to be started for the task. */
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

	/** See to it that a thread lives, if one can be had. */
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

	/** There is a thread less, which may have been the last. */
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
				// An interrupt was meant for the task.
				Thread.interrupted();
			}
		}
		catch (Throwable ex) {
			// Not even the log takes it.
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

	/** The next task, or {@code null} if the thread is to end. */
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
				logger.debug("An interrupt came too late for its task", ex);
			}
			finally {
				this.idle--;
			}
		}
		return this.tasks.remove();
	}

	/** Keep no thread that has nothing to do. What comes yet is done all the same. */
	@Override
	public synchronized void close() {
		this.closed = true;
		notifyAll();
	}

	/**
	 * What is to be done.
	 *
	 * @param action does it
	 * @param refused is told if it will not be done
	 */
	private record Task(Runnable action, Consumer<Throwable> refused) {
	}

}
