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
 * A log that takes no message of this library, of whatever level and on whatever thread,
 * until it is released.
 */
public final class BlockedLog extends UnsynchronizedAppenderBase<ILoggingEvent> implements AutoCloseable {

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter");

	private final CountDownLatch released = new CountDownLatch(1);

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private BlockedLog() {
	}

	/** Block the log from now on. */
	public static BlockedLog begin() {
		BlockedLog log = new BlockedLog();
		log.start();
		log.logger.setAdditive(false);
		log.logger.setLevel(Level.DEBUG);
		log.logger.addAppender(log);
		return log;
	}

	/** Let those write who wait, and all who come. */
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

	/** The messages so far. */
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
