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
 * Tests that concurrent operations of readers and writers are linearizable.
 */
@Param(name = "thread", gen = ThreadIdGen.class)
public class ReadersLincheckTests {

	private static final int ITERATIONS = Integer.getInteger("verification.lincheck.iterations", 100);

	private static final AtomicLong NAMES = new AtomicLong();

	private static final int THREADS = 3;

	/**
	 * Owners, including one for actors before the threads and one for actors after them.
	 */
	private static final List<LockOwner> OWNERS = IntStream.range(0, THREADS + 2)
		.mapToObj((i) -> LockOwner.create("owner"))
		.toList();

	/** Registry of all runs, each of which has its own lock. */
	private static final DefaultLockRegistry REGISTRY = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("one", Duration.ofSeconds(10), Duration.ofMinutes(5), null, false, 8), List.of());

	private final LockRequest request = LockRequest.of("name-" + NAMES.incrementAndGet());

	@Operation
	public Result tryRead(@Param(name = "thread") int owner) {
		return tryLock(LockType.READ, owner);
	}

	@Operation
	public Result tryWrite(@Param(name = "thread") int owner) {
		return tryLock(LockType.WRITE, owner);
	}

	@Operation
	public Result endReading(@Param(name = "thread") int owner) {
		return unlock(LockType.READ, owner);
	}

	@Operation
	public Result endWriting(@Param(name = "thread") int owner) {
		return unlock(LockType.WRITE, owner);
	}

	private Result tryLock(LockType type, int owner) {
		try {
			return lock(type, owner).tryLock() ? Result.YES : Result.NO;
		}
		catch (LockUpgradeException ex) {
			return Result.UPGRADE;
		}
	}

	private Result unlock(LockType type, int owner) {
		try {
			lock(type, owner).unlock();
			return Result.YES;
		}
		catch (LockNotHeldException ex) {
			return Result.NO;
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
	 * Result of an operation.
	 */
	public enum Result {

		/** The lock was acquired or released. */
		YES,
		/** The lock was not acquired or released. */
		NO,
		/** A reader cannot acquire the lock as a writer. */
		UPGRADE

	}

	/**
	 * Sequential specification of a lock.
	 */
	public static final class ReadersOrOneWriter {

		private final int[] reads = new int[OWNERS.size()];

		private final int[] writes = new int[OWNERS.size()];

		public Result tryRead(int owner) {
			if (byOthers(this.writes, owner)) {
				return Result.NO;
			}
			this.reads[owner]++;
			return Result.YES;
		}

		public Result tryWrite(int owner) {
			if (this.writes[owner] == 0 && this.reads[owner] > 0) {
				return Result.UPGRADE;
			}
			if (byOthers(this.writes, owner) || byOthers(this.reads, owner)) {
				return Result.NO;
			}
			this.writes[owner]++;
			return Result.YES;
		}

		public Result endReading(int owner) {
			return leave(this.reads, owner);
		}

		public Result endWriting(int owner) {
			return leave(this.writes, owner);
		}

		private static Result leave(int[] counts, int owner) {
			if (counts[owner] == 0) {
				return Result.NO;
			}
			counts[owner]--;
			return Result.YES;
		}

		private static boolean byOthers(int[] counts, int owner) {
			return IntStream.range(0, counts.length).anyMatch((i) -> i != owner && counts[i] > 0);
		}

	}

}
