package io.lockstarter.dashboard;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Runs the streams of all viewers, each in a thread of its own, which ends with it. Those
 * who come when there are too many have to poll.
 */
final class EventStreams implements ApplicationListener<ContextClosedEvent>, AutoCloseable {

	private static final Log logger = LogFactory.getLog(EventStreams.class);

	/** Visible pages of an instance, of which there are seldom more than a few. */
	private static final int MOST = 20;

	private final ApplicationContext context;

	private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, MOST, 1, TimeUnit.SECONDS,
			new SynchronousQueue<>(), LockThreads.daemons("lock-dashboard-events"));

	/**
	 * Run streams.
	 * @param context until when
	 */
	EventStreams(ApplicationContext context) {
		this.context = context;
	}

	/**
	 * Begin a stream.
	 * @return what ends it early, or {@code null} if there are too many, or no more are
	 * begun
	 */
	@Nullable Future<?> begin(Runnable stream) {
		try {
			return this.threads.submit(() -> run(stream));
		}
		catch (RejectedExecutionException ex) {
			return null;
		}
	}

	private static void run(Runnable stream) {
		try {
			stream.run();
		}
		catch (RuntimeException ex) {
			logger.warn("Events of the dashboard have ended early", ex);
		}
	}

	/** How many streams are under way. */
	int count() {
		return this.threads.getActiveCount();
	}

	/** A graceful shutdown waits for requests; so the streams end before it begins. */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		// Contexts below this one tell it of their ends too
		if (event.getApplicationContext().equals(this.context)) {
			close();
		}
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
