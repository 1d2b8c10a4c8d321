package io.lockstarter.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Log that blocks every thread that writes a message of this library, until the log is
 * released.
 */
public final class BlockedLog extends UnsynchronizedAppenderBase<ILoggingEvent> implements AutoCloseable {

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter");

	private final CountDownLatch released = new CountDownLatch(1);

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private BlockedLog() {
	}

	/** Blocks the log from now on. */
	public static BlockedLog begin() {
		BlockedLog log = new BlockedLog();
		log.start();
		log.logger.setAdditive(false);
		log.logger.setLevel(Level.DEBUG);
		log.logger.addAppender(log);
		return log;
	}

	/** Releases the blocked threads, and blocks no others. */
	public void release() {
		this.released.countDown();
	}

	@Override
	protected void append(ILoggingEvent event) {
		try {
			this.released.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.lines.add(event.getFormattedMessage());
	}

	/** Returns the messages so far. */
	public List<String> lines() {
		return List.copyOf(this.lines);
	}

	@Override
	public void close() {
		release();
		this.logger.detachAppender(this);
		this.logger.setLevel(null);
		this.logger.setAdditive(true);
		stop();
	}

}
