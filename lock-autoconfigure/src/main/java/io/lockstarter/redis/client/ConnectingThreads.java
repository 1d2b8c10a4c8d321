package io.lockstarter.redis.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockThreads;

/**
 * Threads that block while they connect or subscribe. They have to be interrupted once
 * the client has been stopped, because Lettuce may then leave them waiting forever.
 * <p>
 * Safe for use by multiple threads.
 */
public final class ConnectingThreads {

	private final Set<Thread> running = ConcurrentHashMap.newKeySet();

	/**
	 * Creates an executor of two threads for tasks that block while they connect. Its
	 * threads end after ten idle seconds.
	 */
	public ExecutorService executor() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(2, 2, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				named("lock-connect"));
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/** Creates a factory of daemon threads with the same name. */
	public ThreadFactory named(String name) {
		ThreadFactory threads = LockThreads.daemons(name);
		return (task) -> threads.newThread(() -> run(task));
	}

	private void run(Runnable task) {
		Thread current = Thread.currentThread();
		this.running.add(current);
		try {
			task.run();
		}
		finally {
			this.running.remove(current);
		}
	}

	/** Interrupts the threads. Called after the client has been stopped. */
	public void interrupt() {
		this.running.forEach(Thread::interrupt);
	}

}
