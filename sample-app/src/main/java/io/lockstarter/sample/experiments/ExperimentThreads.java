package io.lockstarter.sample.experiments;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLostException;
import io.lockstarter.sample.PlainWords;
import io.lockstarter.sample.experiments.Event.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Threads on which experiments run.
 */
@Component
class ExperimentThreads {

	private static final Log logger = LogFactory.getLog(ExperimentThreads.class);

	private final Diary diary;

	/** Threads that discard new work after shutdown. */
	private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES,
			new SynchronousQueue<>(), new CustomizableThreadFactory("experiment-"),
			new ThreadPoolExecutor.DiscardPolicy());

	ExperimentThreads(Diary diary) {
		this.diary = diary;
	}

	/**
	 * Runs a part of an experiment, and adds an event if it fails.
	 * @param experiment the experiment
	 * @param part the part
	 */
	void run(Experiment experiment, Part part) {
		this.threads.execute(() -> {
			try {
				part.run();
			}
			catch (InterruptedException ex) {
				// The application is shutting down
				Thread.currentThread().interrupt();
			}
			catch (LockLostException ex) {
				logger.debug("A lock was lost, which its listener has reported", ex);
			}
			catch (LockException ex) {
				logger.debug("A participant failed", ex);
				this.diary.add(experiment, Kind.FAILED, (Long) null, "could not continue. " + PlainWords.of(ex));
			}
			catch (RuntimeException ex) {
				logger.warn("An experiment failed", ex);
				this.diary.add(experiment, Kind.FAILED, (Long) null, "could not continue. Its log says why.");
			}
		});
	}

	@EventListener(ContextClosedEvent.class)
	void end() {
		this.threads.shutdownNow();
	}

	/**
	 * Part of an experiment that runs on its own thread.
	 */
	interface Part {

		void run() throws InterruptedException;

	}

}
