package io.lockstarter.logging;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Log of one class, written by a thread that no lock needs.
 * <p>
 * An appender may block for longer than a lease: its disk is full, its pipe is blocked,
 * or the collector behind it hangs. Renewals, replies and timeouts continue meanwhile,
 * because none of the methods here waits for the appender. Messages keep their order.
 * <p>
 * Safe for use by multiple threads.
 */
public final class LockLog {

	private final Log logger;

	private LockLog(Log logger) {
		this.logger = logger;
	}

	/**
	 * Returns the log of a class.
	 * @param source the class, whose name is that of the logger
	 * @return the log
	 */
	public static LockLog of(Class<?> source) {
		return new LockLog(LogFactory.getLog(source));
	}

	public void debug(Object message, @Nullable Throwable cause) {
		write(this.logger::isDebugEnabled, this.logger::debug, message, cause);
	}

	public void info(Object message) {
		write(this.logger::isInfoEnabled, this.logger::info, message, null);
	}

	public void warn(Object message) {
		warn(message, null);
	}

	public void warn(Object message, @Nullable Throwable cause) {
		write(this.logger::isWarnEnabled, this.logger::warn, message, cause);
	}

	public void error(Object message, Throwable cause) {
		write(this.logger::isErrorEnabled, this.logger::error, message, cause);
	}

	/**
	 * Formats the message immediately, because the objects that it describes may change.
	 * Throws nothing, because callers that log an error must continue.
	 */
	private static void write(BooleanSupplier enabled, BiConsumer<String, @Nullable Throwable> level, Object message,
			@Nullable Throwable cause) {
		try {
			if (enabled.getAsBoolean()) {
				LogWriter.write(new LogWriter.Entry(level, String.valueOf(message), cause, System.nanoTime()));
			}
		}
		catch (Throwable ex) {
			LogWriter.drop();
		}
	}

	/**
	 * Waits until all messages so far are written, but no longer than a second, nor when
	 * the calling thread is interrupted.
	 */
	public static void flush() {
		LogWriter.flush();
	}

}
