package io.lockstarter.engine.event;

import java.util.concurrent.ThreadFactory;

import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Makes virtual threads, where the JVM has them that never keep the thread that carries
 * them while they wait: from Java 24 on. Before that, a callback that waits within
 * {@code synchronized} would stop the application's other virtual threads as well.
 */
final class VirtualThreads {

	private static final LockLog logger = LockLog.of(VirtualThreads.class);

	private static final int FIRST_RELEASE = 24;

	private VirtualThreads() {
	}

	/** Make threads that inherit nothing, or return {@code null} where there are none. */
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
