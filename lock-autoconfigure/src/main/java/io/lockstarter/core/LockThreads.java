package io.lockstarter.core;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the threads of this library, which inherit no thread-locals from whoever happens
 * to need one first.
 * <p>
 * Without inheritance the JDK would also replace the context class loader by the one of
 * the system, which does not know the classes inside an application's archive. So the
 * loader is kept that is in force when the factory is made.
 */
public final class LockThreads {

	private LockThreads() {
	}

	/**
	 * Make a daemon thread.
	 * @param name the thread's name
	 * @param task what it runs
	 * @return the thread, not yet started
	 */
	public static Thread daemon(String name, Runnable task) {
		return daemon(name, task, Thread.currentThread().getContextClassLoader());
	}

	/**
	 * Make daemon threads of one name.
	 * @param name the name of each
	 * @return makes the threads
	 */
	public static ThreadFactory daemons(String name) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		return (task) -> daemon(name, task, loader);
	}

	/**
	 * Make daemon threads that are numbered.
	 * @param prefix the first part of their names
	 * @return makes the threads
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
