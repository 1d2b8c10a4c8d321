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
 * The threads of this instance that render: more than there are permits, so that one
 * instance alone has to wait for permits as well.
 */
@Component
class Studio {

	private static final Log logger = LogFactory.getLog(Studio.class);

	private static final int THREADS = 4;

	private static final int PERIOD_MILLIS = 500;

	private final Renderings renderings;

	private final Renderer renderer;

	/** A thread more than there may be is left out. */
	private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, THREADS, 1, TimeUnit.MINUTES,
			new SynchronousQueue<>(), new CustomizableThreadFactory("renderer-"),
			new ThreadPoolExecutor.DiscardPolicy());

	Studio(Renderings renderings, Renderer renderer) {
		this.renderings = renderings;
		this.renderer = renderer;
	}

	@Scheduled(fixedDelay = PERIOD_MILLIS, timeUnit = TimeUnit.MILLISECONDS)
	void look() {
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
			// The application ends, and this thread with it
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			logger.warn("A renderer has failed; another one begins while pictures wait", ex);
		}
	}

	/**
	 * Stop work while there are a database and a Redis to say so.
	 */
	@EventListener(ContextClosedEvent.class)
	void close() throws InterruptedException {
		this.threads.shutdownNow();
		if (!this.threads.awaitTermination(2, TimeUnit.SECONDS)) {
			logger.warn("Renderers are still at work");
		}
	}

}
