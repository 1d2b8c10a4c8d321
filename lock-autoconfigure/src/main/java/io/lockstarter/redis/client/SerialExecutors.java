package io.lockstarter.redis.client;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Executor of blocking tasks in lanes. The tasks of a lane run in order, on one thread at
 * a time. So there are never more threads than busy lanes, and a task that hangs delays
 * only its own lane.
 * <p>
 * Safe for use by multiple threads.
 */
final class SerialExecutors {

	private final Map<Object, Lane> lanes = new ConcurrentHashMap<>();

	private final ThreadPoolExecutor threads;

	SerialExecutors(String threadName) {
		this.threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				LockThreads.daemons(threadName));
	}

	/** Runs a task after those that precede it in its lane. */
	void run(Object lane, Runnable task) {
		this.lanes.computeIfAbsent(lane, (id) -> new Lane()).add(task);
	}

	/** Removes a task that has not begun. */
	void remove(Object lane, Runnable task) {
		Lane known = this.lanes.get(lane);
		if (known != null) {
			known.remove(task);
		}
	}

	/**
	 * Refuses further tasks. Tasks that wait in a lane still run, so that each of them
	 * can report to its caller that it was refused.
	 * @see #requireOpen()
	 */
	void close() {
		this.threads.shutdown();
	}

	/**
	 * Refuses the command of a task after these executors were closed.
	 * @throws RejectedExecutionException if they have been closed
	 */
	void requireOpen() {
		if (this.threads.isShutdown()) {
			throw new RejectedExecutionException("The connections of locks have been closed");
		}
	}

	/**
	 * Sequence of tasks.
	 */
	private final class Lane {

		private final Set<Runnable> tasks = new LinkedHashSet<>();

		private boolean running;

		synchronized void add(Runnable task) {
			if (!this.running) {
				// After close() this throws, and the task is not added.
				SerialExecutors.this.threads.execute(this::runAll);
				this.running = true;
			}
			this.tasks.add(task);
		}

		synchronized void remove(Runnable task) {
			this.tasks.remove(task);
		}

		private void runAll() {
			boolean completed = false;
			try {
				for (Runnable next = poll(); next != null; next = poll()) {
					next.run();
				}
				completed = true;
			}
			finally {
				if (!completed) {
					resume();
				}
			}
		}

		/**
		 * Runs the remaining tasks on another thread, or with the next task that is
		 * added.
		 */
		private synchronized void resume() {
			this.running = false;
			if (!this.tasks.isEmpty()) {
				SerialExecutors.this.threads.execute(this::runAll);
				this.running = true;
			}
		}

		private synchronized @Nullable Runnable poll() {
			if (this.tasks.isEmpty()) {
				this.running = false;
				return null;
			}
			Runnable next = this.tasks.iterator().next();
			this.tasks.remove(next);
			return next;
		}

	}

}
