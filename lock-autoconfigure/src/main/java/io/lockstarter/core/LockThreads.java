package io.lockstarter.core;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Factory for the threads of this library, which inherit no thread-locals from the thread
 * that happens to create them.
 * <p>
 * Without inheritance, the JDK would also replace the context class loader by the system
 * class loader, which does not know the classes inside an application's archive. So new
 * threads get the context class loader of the thread that created the factory.
 */
public final class LockThreads {

	private LockThreads() {
	}

	/**
	 * Creates a daemon thread.
	 * @param name the thread's name
	 * @param task the task to run
	 * @return the thread, not started
	 */
	public static Thread daemon(String name, Runnable task) {
		return daemon(name, task, Thread.currentThread().getContextClassLoader());
	}

	/**
	 * Creates a factory of daemon threads with the same name.
	 * @param name the name of each thread
	 * @return the factory
	 */
	public static ThreadFactory daemons(String name) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		return (task) -> daemon(name, task, loader);
	}

	/**
	 * Creates a factory of numbered daemon threads.
	 * @param prefix the first part of the threads' names
	 * @return the factory
	 */
	public static ThreadFactory numbered(String prefix) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		AtomicInteger numbers = new AtomicInteger();
		return (task) -> daemon(prefix + numbers.incrementAndGet(), task, loader);
	}

	private static Thread daemon(String name, Runnable task, ClassLoader loader) {
		Thread thread = new Thread(null, task, name, 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(loader);
		return thread;
	}

}
