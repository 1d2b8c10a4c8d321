package io.lockstarter.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Warnings of a logger until this object is closed. Levels that other tests have set have
 * no effect.
 */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private final Logger logger;

	private CapturedLog(Logger logger) {
		this.logger = logger;
	}

	/** Captures the warnings of a class from now on. */
	public static CapturedLog of(Class<?> source) {
		return of(source.getName());
	}

	/** Captures the warnings of a logger and of its children from now on. */
	public static CapturedLog of(String name) {
		CapturedLog log = new CapturedLog((Logger) LoggerFactory.getLogger(name));
		log.start();
		log.logger.addAppender(log);
		log.logger.setLevel(Level.WARN);
		return log;
	}

	@Override
	protected void append(ILoggingEvent event) {
		this.lines.add(event.getFormattedMessage());
	}

	/** Returns the messages so far. */
	public List<String> lines() {
		return List.copyOf(this.lines);
	}

	@Override
	public void close() {
		this.logger.setLevel(null);
		this.logger.detachAppender(this);
		stop();
	}

}
