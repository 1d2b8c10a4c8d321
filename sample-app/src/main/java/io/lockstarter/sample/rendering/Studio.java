package io.lockstarter.sample.rendering;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Rendering threads of this instance. There are more threads than permits, so that even a
 * single instance has to wait for permits.
 */
@Component
class Studio {

	private static final Log logger = LogFactory.getLog(Studio.class);

	/** Maximum number of rendering threads. */
	private static final int THREADS = 4;

	/** Interval between two checks for waiting pictures: 500 ms. */
	private static final int PERIOD_MILLIS = 500;

	private final Renderings renderings;

	private final Renderer renderer;

	/** Threads that discard work beyond their maximum number. */
	private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, THREADS, 1, TimeUnit.MINUTES,
			new SynchronousQueue<>(), new CustomizableThreadFactory("renderer-"),
			new ThreadPoolExecutor.DiscardPolicy());

	Studio(Renderings renderings, Renderer renderer) {
		this.renderings = renderings;
		this.renderer = renderer;
	}

	@Scheduled(fixedDelay = PERIOD_MILLIS, timeUnit = TimeUnit.MILLISECONDS)
	void renderWaiting() {
		if (this.renderings.anyWaiting()) {
			for (int i = 0; i < THREADS; i++) {
				this.threads.execute(this::work);
			}
		}
	}

	private void work() {
		try {
			while (this.renderings.anyWaiting()) {
				this.renderer.renderNext();
			}
		}
		catch (InterruptedException ex) {
			// The application is shutting down
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			logger.warn("A renderer failed; another one starts while pictures are waiting", ex);
		}
	}

	/**
	 * Stops the work while the database and Redis are still available.
	 */
	@EventListener(ContextClosedEvent.class)
	void close() throws InterruptedException {
		this.threads.shutdownNow();
		if (!this.threads.awaitTermination(2, TimeUnit.SECONDS)) {
			logger.warn("Renderers did not stop within 2 s");
		}
	}

}
