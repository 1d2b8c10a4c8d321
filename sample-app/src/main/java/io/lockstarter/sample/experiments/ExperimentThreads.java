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
 * The threads on which experiments run.
 */
@Component
class ExperimentThreads {

	private static final Log logger = LogFactory.getLog(ExperimentThreads.class);

	private final Diary diary;

	/** Nothing begins when the application ends. */
	private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES,
			new SynchronousQueue<>(), new CustomizableThreadFactory("experiment-"),
			new ThreadPoolExecutor.DiscardPolicy());

	ExperimentThreads(Diary diary) {
		this.diary = diary;
	}

	/**
	 * Run a part of an experiment, and tell if it cannot go on.
	 * @param experiment the experiment
	 * @param part the part
	 */
	void run(Experiment experiment, Part part) {
		this.threads.execute(() -> {
			try {
				part.run();
			}
			catch (InterruptedException ex) {
				// The application ends, and this thread with it
				Thread.currentThread().interrupt();
			}
			catch (LockLostException ex) {
				logger.debug("A lock was lost, as its listener has told", ex);
			}
			catch (LockException ex) {
				logger.debug("Somebody could not go on", ex);
				this.diary.add(experiment, Kind.FAILED, (Long) null, "could not go on. " + PlainWords.of(ex));
			}
			catch (RuntimeException ex) {
				logger.warn("An experiment failed", ex);
				this.diary.add(experiment, Kind.FAILED, (Long) null, "could not go on. Its log says why.");
			}
		});
	}

	@EventListener(ContextClosedEvent.class)
	void end() {
		this.threads.shutdownNow();
	}

	/**
	 * Part of an experiment.
	 */
	interface Part {

		void run() throws InterruptedException;

	}

}
