package io.lockstarter.engine.event;

import java.util.concurrent.ThreadFactory;

import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Factory of virtual threads on Java 24 and later. On earlier versions, a callback that
 * waits within {@code synchronized} would pin its carrier thread and so stop other
 * virtual threads of the application.
 */
final class VirtualThreads {

	private static final LockLog logger = LockLog.of(VirtualThreads.class);

	/** First release of Java whose virtual threads do not pin their carrier. */
	private static final int FIRST_RELEASE = 24;

	private VirtualThreads() {
	}

	/**
	 * Returns a factory of threads that inherit no thread-locals, or {@code null} if the
	 * JVM has no suitable virtual threads.
	 */
	static @Nullable ThreadFactory numbered(String prefix) {
		if (Runtime.version().feature() < FIRST_RELEASE) {
			return null;
		}
		try {
			Class<?> type = Class.forName("java.lang.Thread$Builder");
			Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
			type.getMethod("name", String.class, long.class).invoke(builder, prefix, 1L);
			type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
			return within((ThreadFactory) type.getMethod("factory").invoke(builder));
		}
		catch (ReflectiveOperationException ex) {
			logger.debug("This JVM has no virtual threads", ex);
			return null;
		}
	}

	private static ThreadFactory within(ThreadFactory factory) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		return (task) -> {
			Thread thread = factory.newThread(task);
			thread.setContextClassLoader(loader);
			return thread;
		};
	}

}
