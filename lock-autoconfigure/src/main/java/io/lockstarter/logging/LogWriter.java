package io.lockstarter.logging;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.lockstarter.core.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Writer of all messages of this JVM, one after another, on one daemon thread that ends
 * when idle. While the log is blocked, a bounded number of messages is kept. Further
 * messages are dropped and counted.
 */
final class LogWriter {

	private static final Log logger = LogFactory.getLog(LockLog.class);

	/** Maximum number of messages that are kept. */
	private static final int MAX_ENTRIES = 10_000;

	/** Idle time after which the thread ends: 1 s. */
	private static final long IDLE_SECONDS = 1;

	/** Maximum wait of {@link #flush()}: 1 s. */
	private static final long FLUSH_MILLIS = 1000;

	/** Delay after which a message says that it is late: 1 s. */
	private static final long LATE_NANOS = Duration.ofSeconds(1).toNanos();

	private static final AtomicInteger dropped = new AtomicInteger();

	private static final AtomicInteger unwritten = new AtomicInteger();

	private static final ThreadPoolExecutor thread = start();

	private LogWriter() {
	}

	/**
	 * Creates the executor. Its thread is created on demand, and retains no class loader
	 * of an application.
	 */
	private static ThreadPoolExecutor start() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MAX_ENTRIES), (task) -> LockThreads.daemon("lock-log", task),
				(task, full) -> {
					unwritten.decrementAndGet();
					drop();
				});
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	static void write(Entry entry) {
		unwritten.incrementAndGet();
		try {
			thread.execute(entry);
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started now. The next thread writes this entry as well.
			if (!thread.getQueue().offer(entry)) {
				unwritten.decrementAndGet();
				drop();
			}
		}
	}

	/** Counts a message that is not written. */
	static void drop() {
		dropped.incrementAndGet();
	}

	static void flush() {
		if (unwritten.get() == 0) {
			return;
		}
		CountDownLatch written = new CountDownLatch(1);
		write(new Entry((message, cause) -> written.countDown(), "", null, System.nanoTime()));
		try {
			written.await(FLUSH_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A message.
	 *
	 * @param level writes the message at its level
	 * @param message the text
	 * @param cause the exception to log with the message, or {@code null}
	 * @param at the time of the log call, by {@link System#nanoTime()}
	 */
	record Entry(BiConsumer<String, @Nullable Throwable> level, String message, @Nullable Throwable cause,
			long at) implements Runnable {

		@Override
		public void run() {
			try {
				int lost = dropped.getAndSet(0);
				if (lost > 0) {
					logger.warn(lost + " messages about locks were dropped, because the log was blocked for too long");
				}
				long late = System.nanoTime() - this.at;
				this.level.accept((late < LATE_NANOS) ? this.message
						: this.message + " (" + TimeUnit.NANOSECONDS.toSeconds(late) + " s late)", this.cause);
			}
			finally {
				unwritten.decrementAndGet();
			}
		}

	}

}
