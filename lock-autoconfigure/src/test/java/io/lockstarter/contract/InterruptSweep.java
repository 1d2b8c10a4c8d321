package io.lockstarter.contract;

import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Interrupts at random moments of waiting and acquiring: each ends in the lock or in the
 * exception, and nothing is left behind.
 */
public interface InterruptSweep extends TwoRegistries {

	/** How often each situation is tried where time is short. */
	int ROUNDS = 50;

	/** Within this time a thread is interrupted and the lock is freed. */
	int LONGEST_MICROS = 1500;

	@Test
	default void leavesNothingBehindWheneverAThreadIsInterruptedAtAFreeLock() {
		sweep(null, LockType.REENTRANT);
	}

	@Test
	default void leavesNothingBehindWheneverAThreadIsInterruptedBehindALocalHolder() {
		sweep(lock(), LockType.REENTRANT);
	}

	@Test
	default void leavesNothingBehindWheneverAThreadIsInterruptedBehindARemoteHolder() {
		sweep(otherLock(), LockType.REENTRANT);
	}

	@Test
	default void leavesNothingBehindWheneverAReaderOrWriterIsInterruptedAtAFreeLock() {
		sweep(null, LockType.READ, LockType.WRITE);
	}

	@Test
	default void leavesNothingBehindWheneverAReaderOrWriterIsInterruptedBehindAReader() {
		sweep(one().get(request().type(LockType.READ)), LockType.READ, LockType.WRITE);
	}

	@Test
	default void leavesNothingBehindWheneverAReaderOrWriterIsInterruptedBehindARemoteWriter() {
		sweep(otherLock(), LockType.READ, LockType.WRITE);
	}

	@Test
	default void leavesNothingBehindWheneverAFairThreadIsInterruptedBehindARemoteHolder() {
		assumeTrue(types().contains(LockType.FAIR), "fair locks are to be had");
		sweep(otherLock(), LockType.FAIR);
	}

	private void sweep(@Nullable NamedLock holding, LockType... types) {
		Log logger = LogFactory.getLog(InterruptSweep.class);
		long seed = System.nanoTime();
		Random random = new Random(seed);
		List<Actor> actors = List.of(actor(), actor());
		Tally tally = new Tally();
		for (int round = 0; round < ROUNDS * effort(); round++) {
			try {
				play(holding, types, actors, random, tally);
			}
			catch (AssertionError ex) {
				throw new AssertionError("Round %d of seed %d".formatted(round, seed), ex);
			}
		}
		logger.info("Interrupt sweep with seed %d: %s".formatted(seed, tally));
		if (effort() > 1) {
			assertThat(tally.acquired).as("acquired in spite of the interrupt").isPositive();
			assertThat(tally.interrupted).as("ended by the interrupt").isPositive();
		}
	}

	private void play(@Nullable NamedLock holding, LockType[] types, List<Actor> actors, Random random, Tally tally) {
		if (holding != null) {
			holding.lock();
		}
		List<Attempt> attempts = actors.stream()
			.map((actor) -> new Attempt(one().get(request().type(types[random.nextInt(types.length)])), actor,
					random.nextBoolean()))
			.toList();
		Attempt first = attempts.get(random.nextInt(2));
		Attempt second = attempts.get((first == attempts.get(0)) ? 1 : 0);
		boolean early = random.nextBoolean();
		Pauses.micros(random.nextInt(LONGEST_MICROS));
		first.interrupt();
		Pauses.micros(random.nextInt(LONGEST_MICROS));
		if (early) {
			second.interrupt();
		}
		if (holding != null) {
			holding.unlock();
		}
		if (!early) {
			Pauses.micros(random.nextInt(LONGEST_MICROS));
			second.interrupt();
		}
		attempts.forEach((attempt) -> tally.count(Actor.resultOf(attempt.ending)));
		assertNothingLeft();
	}

	/**
	 * A thread that tries to get the lock and is interrupted exactly once.
	 */
	final class Attempt {

		private final NamedLock lock;

		private final boolean timed;

		private final AtomicBoolean begun = new AtomicBoolean();

		private final AtomicBoolean interrupted = new AtomicBoolean();

		private final Actor actor;

		private final Future<Ending> ending;

		Attempt(NamedLock lock, Actor actor, boolean timed) {
			this.lock = lock;
			this.timed = timed;
			this.actor = actor;
			this.ending = actor.ask(this::run);
			spinUntil(this.begun);
		}

		void interrupt() {
			this.actor.interrupt();
			this.interrupted.set(true);
		}

		private Ending run() {
			this.begun.set(true);
			boolean acquired = acquire();
			spinUntil(this.interrupted);
			if (acquired) {
				this.lock.unlock();
			}
			return new Ending(acquired, Thread.interrupted());
		}

		private boolean acquire() {
			try {
				if (this.timed) {
					assertThat(this.lock.tryLock(WAIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
				}
				else {
					this.lock.lockInterruptibly();
				}
				return true;
			}
			catch (InterruptedException ex) {
				return false;
			}
		}

		private static void spinUntil(AtomicBoolean condition) {
			while (!condition.get()) {
				Thread.yield();
			}
		}

	}

	/**
	 * How an attempt ended.
	 */
	record Ending(boolean acquired, boolean flag) {
	}

	/**
	 * How often it ended which way.
	 */
	final class Tally {

		private int acquired;

		private int interrupted;

		void count(Ending ending) {
			assertThat(ending.flag()).as("flag of %s", ending).isEqualTo(ending.acquired());
			if (ending.acquired()) {
				this.acquired++;
			}
			else {
				this.interrupted++;
			}
		}

		@Override
		public String toString() {
			return "%d acquired, %d interrupted".formatted(this.acquired, this.interrupted);
		}

	}

}
