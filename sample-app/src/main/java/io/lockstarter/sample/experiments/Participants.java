package io.lockstarter.sample.experiments;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.sample.experiments.Event.Kind;
import reactor.core.Disposable;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Participants of this instance in an experiment that any instance has started. They
 * request the lock of the experiment.
 */
@Component
class Participants {

	/** Number of buyers on each instance. */
	static final int BUYERS = 6;

	/** Time for which a participant holds the lock: 600 ms. */
	static final Duration TURN = Duration.ofMillis(600);

	private final LockRegistry locks;

	private final Neighbours neighbours;

	private final ExperimentThreads threads;

	private final FencedWriter writer;

	private final TicketOffice office;

	private final Diary diary;

	private volatile Disposable calls = () -> {
	};

	Participants(LockRegistry locks, Neighbours neighbours, ExperimentThreads threads, FencedWriter writer,
			TicketOffice office, Diary diary) {
		this.locks = locks;
		this.neighbours = neighbours;
		this.threads = threads;
		this.writer = writer;
		this.office = office;
		this.diary = diary;
	}

	@EventListener(ApplicationReadyEvent.class)
	void subscribe() {
		this.calls = this.neighbours.calls().subscribe(this::takePart);
	}

	@EventListener(ContextClosedEvent.class)
	void end() {
		this.calls.dispose();
	}

	private void takePart(String call) {
		if (call.equals(Experiment.CONTENTION.name())) {
			for (int i = 1; i <= BUYERS; i++) {
				String buyer = "buyer-" + i;
				this.threads.run(Experiment.CONTENTION, () -> buy(buyer));
			}
		}
		else if (call.equals(Experiment.FREEZE.name())) {
			this.threads.run(Experiment.FREEZE, this::takeOver);
		}
		else if (call.equals(Experiment.UNFENCED.name())) {
			this.threads.run(Experiment.UNFENCED, () -> this.office.sell(this::sold));
		}
		else if (call.equals(Experiment.FENCED.name())) {
			this.threads.run(Experiment.FENCED, () -> this.office.sellFenced(this::sold));
		}
	}

	private void buy(String buyer) throws InterruptedException {
		long start = System.nanoTime();
		try (LockHandle lock = this.locks.acquire(Experiment.CONTENTION.request(buyer))) {
			Duration waited = Duration.ofNanos(System.nanoTime() - start);
			Thread.sleep(TURN.toMillis());
			if (lock.isValid()) {
				this.diary.add(Experiment.CONTENTION, Kind.DONE, lock,
						"let %s buy after a wait of %s".formatted(buyer, Diary.text(waited)));
			}
		}
	}

	private void sold(LockHandle lock, long number) throws InterruptedException {
		Experiment.withLock(lock.name())
			.ifPresent((experiment) -> this.diary.add(experiment, Kind.WRITTEN, lock,
					String.format(Locale.ROOT, "acquired the lock, and sells ticket %d", number)));
		Thread.sleep(TURN.toMillis());
	}

	private void takeOver() throws InterruptedException {
		try (LockHandle lock = this.locks.acquire(Experiment.FREEZE.request("writer"))) {
			this.writer.write(lock, "acquired the lock");
			Thread.sleep(TURN.toMillis());
		}
	}

}
