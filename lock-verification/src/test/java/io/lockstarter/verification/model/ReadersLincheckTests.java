package io.lockstarter.verification.model;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What several threads do to a lock at once, as readers and as writers, has the results
 * of one after the other.
 */
@Param(name = "thread", gen = ThreadIdGen.class)
public class ReadersLincheckTests {

	private static final int ITERATIONS = Integer.getInteger("verification.lincheck.iterations", 100);

	private static final AtomicLong NAMES = new AtomicLong();

	private static final int THREADS = 3;

	/** With one for what comes before the threads, and one for what comes after. */
	private static final List<LockOwner> OWNERS = IntStream.range(0, THREADS + 2)
		.mapToObj((i) -> LockOwner.create("owner"))
		.toList();

	/** One for all runs, each of which has a lock of its own. */
	private static final DefaultLockRegistry REGISTRY = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("one", Duration.ofSeconds(10), Duration.ofMinutes(5), null, false, 8), List.of());

	private final LockRequest request = LockRequest.of("name-" + NAMES.incrementAndGet());

	@Operation
	public Answer tryRead(@Param(name = "thread") int owner) {
		return tryLock(LockType.READ, owner);
	}

	@Operation
	public Answer tryWrite(@Param(name = "thread") int owner) {
		return tryLock(LockType.WRITE, owner);
	}

	@Operation
	public Answer endReading(@Param(name = "thread") int owner) {
		return unlock(LockType.READ, owner);
	}

	@Operation
	public Answer endWriting(@Param(name = "thread") int owner) {
		return unlock(LockType.WRITE, owner);
	}

	private Answer tryLock(LockType type, int owner) {
		try {
			return lock(type, owner).tryLock() ? Answer.YES : Answer.NO;
		}
		catch (LockUpgradeException ex) {
			return Answer.UPGRADE;
		}
	}

	private Answer unlock(LockType type, int owner) {
		try {
			lock(type, owner).unlock();
			return Answer.YES;
		}
		catch (LockNotHeldException ex) {
			return Answer.NO;
		}
	}

	private NamedLock lock(LockType type, int owner) {
		return REGISTRY.get(this.request.type(type).owner(OWNERS.get(owner)));
	}

	@Test
	void isLinearizable() {
		check(4);
	}

	@Tag("stress")
	@Test
	void isLinearizableInTheLongRun() {
		check(ITERATIONS);
	}

	private static void check(int iterations) {
		new StressOptions().iterations(iterations)
			.invocationsPerIteration(300)
			.threads(THREADS)
			.actorsBefore(0)
			.actorsPerThread(4)
			.actorsAfter(0)
			.sequentialSpecification(ReadersOrOneWriter.class)
			.check(ReadersLincheckTests.class);
	}

	/**
	 * How an attempt ends.
	 */
	public enum Answer {

		/** The lock was taken, or released. */
		YES,
		/** It was not. */
		NO,
		/** It may not be taken by one who reads. */
		UPGRADE

	}

	/**
	 * What a lock is when nothing happens at the same time.
	 */
	public static final class ReadersOrOneWriter {

		private final int[] reads = new int[OWNERS.size()];

		private final int[] writes = new int[OWNERS.size()];

		public Answer tryRead(int owner) {
			if (byOthers(this.writes, owner)) {
				return Answer.NO;
			}
			this.reads[owner]++;
			return Answer.YES;
		}

		public Answer tryWrite(int owner) {
			if (this.writes[owner] == 0 && this.reads[owner] > 0) {
				return Answer.UPGRADE;
			}
			if (byOthers(this.writes, owner) || byOthers(this.reads, owner)) {
				return Answer.NO;
			}
			this.writes[owner]++;
			return Answer.YES;
		}

		public Answer endReading(int owner) {
			return leave(this.reads, owner);
		}

		public Answer endWriting(int owner) {
			return leave(this.writes, owner);
		}

		private static Answer leave(int[] counts, int owner) {
			if (counts[owner] == 0) {
				return Answer.NO;
			}
			counts[owner]--;
			return Answer.YES;
		}

		private static boolean byOthers(int[] counts, int owner) {
			return IntStream.range(0, counts.length).anyMatch((i) -> i != owner && counts[i] > 0);
		}

	}

}
