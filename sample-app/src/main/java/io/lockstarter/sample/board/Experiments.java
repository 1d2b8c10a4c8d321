package io.lockstarter.sample.board;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.lockstarter.autoconfigure.DistributedLockProperties;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.board.Event.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.Disposable;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * What visitors of the board can start. Each experiment runs on threads of its own and
 * takes real locks.
 */
@Component
class Experiments {

	private static final Log logger = LogFactory.getLog(Experiments.class);

	private static final String SEAT = "seat:front-row";

	private static final String LONG = "stocktaking";

	private static final String FROZEN = "ledger";

	private static final String CUT = "sound-check";

	private static final String EVERYBODY_BUYS = "buy";

	private static final String SOMEBODY_WRITES = "write";

	private static final int BUYERS = 6;

	private static final Duration PURCHASE = Duration.ofMillis(600);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** The fixed lease of the holder that freezes, and for how long it does. */
	private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

	private static final Duration FREEZE = Duration.ofSeconds(6);

	private final LockRegistry locks;

	private final Duration leaseTime;

	private final Ledger ledger;

	private final Line line;

	private final Neighbours neighbours;

	private final EventLog events;

	private final String instance;

	private final ExecutorService threads = Executors.newCachedThreadPool(new CustomizableThreadFactory("experiment-"));

	private volatile Disposable calls = () -> {
	};

	Experiments(LockRegistry locks, DistributedLockProperties settings, Ledger ledger, Line line, Neighbours neighbours,
			EventLog events, SampleProperties sample) {
		this.locks = locks;
		this.leaseTime = settings.leaseTime();
		this.ledger = ledger;
		this.line = line;
		this.neighbours = neighbours;
		this.events = events;
		this.instance = sample.instance();
	}

	/**
	 * Let buyers on every instance want the same seat.
	 */
	void contend() {
		call(EVERYBODY_BUYS, SEAT);
	}

	/**
	 * Hold a lock for two and a half of its leases. The watchdog renews it.
	 */
	void holdLong() {
		run(LONG, () -> {
			Duration work = this.leaseTime.multipliedBy(5).dividedBy(2);
			try (LockHandle lock = this.locks.acquire(request(LONG))) {
				this.events.add(Kind.STEP, lock,
						"works for %s under a lease of %s".formatted(text(work), text(this.leaseTime)));
				Thread.sleep(work.toMillis());
				this.events.add(Kind.STEP, lock, "is done, and held the lock throughout");
			}
		});
	}

	/**
	 * Let a holder freeze beyond its lease while others take over, then let it write with
	 * the token it believes in.
	 */
	void freeze() {
		run(FROZEN, () -> {
			LockHandle lock = this.locks.acquire(request(FROZEN).leaseTime(SHORT_LEASE));
			this.events.add(Kind.FROZEN, lock,
					"freezes for %s with a lease of %s".formatted(text(FREEZE), text(SHORT_LEASE)));
			call(SOMEBODY_WRITES, FROZEN);
			Thread.sleep(FREEZE.toMillis());
			// Without asking lock.isValid(): whoever stalls just here does not know
			write(lock);
			try {
				lock.close();
			}
			catch (LockLostException ex) {
				this.events.add(Kind.STEP, lock, "learns on release that it had lost the lock");
			}
		});
	}

	/**
	 * Cut this instance off from Redis while it holds a lock, for long enough to make a
	 * renewal fail but not to lose the lock.
	 */
	void cut() {
		run(CUT, () -> {
			try (LockHandle lock = this.locks.acquire(request(CUT))) {
				Duration outage = this.leaseTime.dividedBy(2);
				this.events.add(Kind.STEP, lock, "is cut off from Redis for " + text(outage));
				int connections = this.line.cut(outage);
				this.events.add(Kind.STEP, lock, "may connect again; connections that were cut: " + connections);
				Thread.sleep(this.leaseTime.toMillis());
			}
		});
	}

	@EventListener(ApplicationReadyEvent.class)
	void answerCalls() {
		this.calls = this.neighbours.calls().subscribe(this::answer);
	}

	@EventListener(ContextClosedEvent.class)
	void end() {
		this.calls.dispose();
		this.threads.shutdownNow();
	}

	private void answer(String call) {
		if (call.equals(EVERYBODY_BUYS)) {
			for (int buyer = 0; buyer < BUYERS; buyer++) {
				run(SEAT, this::buy);
			}
		}
		else if (call.equals(SOMEBODY_WRITES)) {
			run(FROZEN, this::takeOver);
		}
	}

	private void buy() throws InterruptedException {
		try (LockHandle lock = this.locks.acquire(request(SEAT))) {
			Thread.sleep(PURCHASE.toMillis());
		}
	}

	private void takeOver() throws InterruptedException {
		try (LockHandle lock = this.locks.acquire(request(FROZEN))) {
			write(lock);
			Thread.sleep(PURCHASE.toMillis());
		}
	}

	private void write(LockHandle lock) {
		if (this.ledger.write(this.instance, lock.fencingToken())) {
			this.events.add(Kind.WRITTEN, lock, "the store took the write of " + this.instance);
		}
		else {
			this.events.add(Kind.REFUSED, lock, "the store refused the write of %s, because it has seen token %d"
				.formatted(this.instance, this.ledger.token()));
		}
	}

	private void call(String call, String lock) {
		this.neighbours.call(call)
			.subscribe((instances) -> this.events.add(Kind.STEP, lock, null, "instances called: " + instances),
					(ex) -> this.events.add(Kind.LOST, lock, null, "no instance could be called: " + ex.getMessage()));
	}

	private void run(String lock, Step step) {
		this.threads.execute(() -> {
			try {
				step.run();
			}
			catch (InterruptedException ex) {
				// The application ends, and this thread with it
				Thread.currentThread().interrupt();
			}
			catch (LockException ex) {
				this.events.add(Kind.LOST, lock, null, String.valueOf(ex.getMessage()));
			}
			catch (RuntimeException ex) {
				logger.warn("An experiment failed", ex);
				this.events.add(Kind.LOST, lock, null, "the experiment failed: " + ex);
			}
		});
	}

	private static LockRequest request(String lock) {
		return LockRequest.of(lock).metricName("experiment").waitTime(PATIENCE);
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
