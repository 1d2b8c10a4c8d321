package io.lockstarter.sample.experiments;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.lockstarter.autoconfigure.DistributedLockProperties;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.sample.PlainWords;
import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.experiments.Event.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.Disposable;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Runs the experiments, on threads of their own and with real locks.
 */
@Component
class Experiments {

	private static final Log logger = LogFactory.getLog(Experiments.class);

	private static final int BUYERS = 6;

	private static final Duration PURCHASE = Duration.ofMillis(600);

	/** The fixed lease of the holder that freezes, and for how long it does. */
	private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

	private static final Duration FREEZE = Duration.ofSeconds(6);

	private final LockRegistry locks;

	private final Duration leaseTime;

	private final Ledger ledger;

	private final Line line;

	private final Neighbours neighbours;

	private final Diary diary;

	private final String instance;

	private final ExecutorService threads = Executors.newCachedThreadPool(new CustomizableThreadFactory("experiment-"));

	private volatile Disposable calls = () -> {
	};

	Experiments(LockRegistry locks, DistributedLockProperties settings, Ledger ledger, Line line, Neighbours neighbours,
			Diary diary, SampleProperties sample) {
		this.locks = locks;
		this.leaseTime = settings.leaseTime();
		this.ledger = ledger;
		this.line = line;
		this.neighbours = neighbours;
		this.diary = diary;
		this.instance = sample.instance();
	}

	/**
	 * Start an experiment. It has its lock, and goes on by itself, when this returns.
	 * @param experiment the experiment
	 * @throws ResponseStatusException if it runs already, or nobody hears of it who has
	 * to take part
	 * @throws LockException if there is no lock to be had
	 * @throws InterruptedException if the thread is interrupted
	 */
	void start(Experiment experiment) throws InterruptedException {
		LockHandle lock = acquire(experiment);
		Step step;
		try {
			step = begin(experiment, lock);
		}
		catch (RuntimeException ex) {
			lock.close();
			throw ex;
		}
		run(experiment, step);
	}

	private LockHandle acquire(Experiment experiment) throws InterruptedException {
		LockRequest request = request(experiment, "visitor").waitTime(Duration.ZERO);
		try {
			return this.locks.acquire((experiment != Experiment.FREEZE) ? request : request.leaseTime(SHORT_LEASE));
		}
		catch (LockAcquisitionTimeoutException ex) {
			String where = ex.holder().map((holder) -> " on " + PlainWords.instanceOf(holder)).orElse("");
			throw new ResponseStatusException(HttpStatus.CONFLICT,
					"This experiment is still running%s. Wait until its lock is free.".formatted(where), ex);
		}
	}

	/** Whoever has to take part is called before anything is told. */
	private Step begin(Experiment experiment, LockHandle lock) {
		return switch (experiment) {
			case CONTENTION -> {
				long instances = call(experiment);
				started(experiment, lock, "has the lock, and %d buyers on %d %s want it".formatted(instances * BUYERS,
						instances, (instances == 1) ? "instance" : "instances"));
				yield () -> letGo(lock);
			}
			case LONG_HOLD -> {
				Duration work = this.leaseTime.multipliedBy(5).dividedBy(2);
				started(experiment, lock,
						"works for %s under a lease of %s".formatted(text(work), text(this.leaseTime)));
				yield () -> work(lock, work);
			}
			case FREEZE -> {
				call(experiment);
				started(experiment, lock,
						"has a lease of %s, and freezes for %s".formatted(text(SHORT_LEASE), text(FREEZE)));
				yield () -> freeze(lock);
			}
			case CUT -> {
				Duration outage = this.leaseTime.dividedBy(2);
				started(experiment, lock, "has the lock, and is cut off from Redis for " + text(outage));
				yield () -> cut(lock, outage);
			}
		};
	}

	private void started(Experiment experiment, LockHandle lock, String text) {
		this.diary.add(experiment, Kind.STARTED, lock, text);
	}

	private long call(Experiment experiment) {
		long instances = this.neighbours.call(experiment.name());
		if (instances == 0) {
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE,
					"No instance hears the call to take part. Try again in a moment.");
		}
		return instances;
	}

	private void letGo(LockHandle lock) throws InterruptedException {
		try (lock) {
			Thread.sleep(PURCHASE.toMillis());
		}
	}

	/** The watchdog renews the lease meanwhile. */
	private void work(LockHandle lock, Duration work) throws InterruptedException {
		try (lock) {
			Thread.sleep(work.toMillis());
			tellIfHeldThroughout(Experiment.LONG_HOLD, lock);
		}
	}

	/**
	 * Sleep beyond the lease while others take over, then write with the token of the
	 * hold that is over.
	 */
	private void freeze(LockHandle lock) throws InterruptedException {
		try (lock) {
			Thread.sleep(FREEZE.toMillis());
			// Without asking lock.isValid(): whoever stalls just here does not know
			write(lock, "woke and wrote");
		}
	}

	/** Long enough to make a renewal fail, not long enough to lose the lock. */
	private void cut(LockHandle lock, Duration outage) throws InterruptedException {
		try (lock) {
			int connections = this.line.cut(outage);
			this.diary.add(Experiment.CUT, Kind.STEP, lock,
					"may connect again; connections that were cut: " + connections);
			Thread.sleep(this.leaseTime.toMillis());
			tellIfHeldThroughout(Experiment.CUT, lock);
		}
	}

	/** That a lock was lost has been told when that happened. */
	private void tellIfHeldThroughout(Experiment experiment, LockHandle lock) {
		if (lock.isValid()) {
			this.diary.add(experiment, Kind.DONE, lock, "is done, and held the lock throughout");
		}
	}

	@EventListener(ApplicationReadyEvent.class)
	void answerCalls() {
		this.calls = this.neighbours.calls().subscribe(this::takePart);
	}

	@EventListener(ContextClosedEvent.class)
	void end() {
		this.calls.dispose();
		this.threads.shutdownNow();
	}

	private void takePart(String call) {
		if (call.equals(Experiment.CONTENTION.name())) {
			for (int i = 1; i <= BUYERS; i++) {
				String buyer = "buyer-" + i;
				run(Experiment.CONTENTION, () -> buy(buyer));
			}
		}
		else if (call.equals(Experiment.FREEZE.name())) {
			run(Experiment.FREEZE, this::takeOver);
		}
	}

	private void buy(String buyer) throws InterruptedException {
		long start = System.nanoTime();
		try (LockHandle lock = this.locks.acquire(request(Experiment.CONTENTION, buyer))) {
			Duration waited = Duration.ofNanos(System.nanoTime() - start);
			Thread.sleep(PURCHASE.toMillis());
			if (lock.isValid()) {
				this.diary.add(Experiment.CONTENTION, Kind.DONE, lock,
						"let %s buy after a wait of %s".formatted(buyer, text(waited)));
			}
		}
	}

	private void takeOver() throws InterruptedException {
		try (LockHandle lock = this.locks.acquire(request(Experiment.FREEZE, "writer"))) {
			write(lock, "got the lock and wrote");
			Thread.sleep(PURCHASE.toMillis());
		}
	}

	private void write(LockHandle lock, String what) {
		if (this.ledger.write(this.instance, lock.fencingToken())) {
			this.diary.add(Experiment.FREEZE, Kind.WRITTEN, lock, what + "; the store took it");
		}
		else {
			this.diary.add(Experiment.FREEZE, Kind.REFUSED, lock,
					what + "; the store refused it, because it has seen a higher token");
		}
	}

	private void run(Experiment experiment, Step step) {
		this.threads.execute(() -> {
			try {
				step.run();
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

	/** An owner that is no thread: a request begins, and another thread goes on. */
	private static LockRequest request(Experiment experiment, String owner) {
		return experiment.request().owner(LockOwner.create(owner));
	}

	private static String text(Duration duration) {
		return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
	}

	/**
	 * Part of an experiment.
	 */
	private interface Step {

		void run() throws InterruptedException;

	}

}
