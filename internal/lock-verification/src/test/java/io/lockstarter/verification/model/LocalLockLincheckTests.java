package io.lockstarter.verification.model;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that concurrent operations of several owners are linearizable.
 * <p>
 * Uses stress tests instead of model checking, because a model checker would have to
 * control the threads of the engine.
 */
@Param(name = "owner", gen = IntGen.class, conf = "0:2")
public class LocalLockLincheckTests {

	private static final int ITERATIONS = Integer.getInteger("verification.lincheck.iterations", 20);

	private static final AtomicLong NAMES = new AtomicLong();

	private static final List<LockOwner> OWNERS = List.of(LockOwner.create("a"), LockOwner.create("b"),
			LockOwner.create("c"));

	/** Registry of all runs, each of which has its own lock. */
	private static final DefaultLockRegistry REGISTRY = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("one", Duration.ofSeconds(10), Duration.ofMinutes(5), null, false, 8), List.of());

	private final LockRequest request = LockRequest.of("name-" + NAMES.incrementAndGet());

	@Operation
	public boolean tryLock(@Param(name = "owner") int owner) {
		return lock(owner).tryLock();
	}

	@Operation
	public boolean unlock(@Param(name = "owner") int owner) {
		try {
			lock(owner).unlock();
			return true;
		}
		catch (LockNotHeldException ex) {
			return false;
		}
	}

	private NamedLock lock(int owner) {
		return REGISTRY.get(this.request.owner(OWNERS.get(owner)));
	}

	@Test
	void isLinearizable() {
		check(2);
	}

	@Tag("stress")
	@Test
	void isLinearizableInTheLongRun() {
		check(ITERATIONS);
	}

	private static void check(int iterations) {
		new StressOptions().iterations(iterations)
			.invocationsPerIteration(300)
			.threads(3)
			.actorsBefore(1)
			.actorsPerThread(3)
			.actorsAfter(2)
			.sequentialSpecification(OneOwner.class)
			.check(LocalLockLincheckTests.class);
	}

	/**
	 * Sequential specification of a lock.
	 */
	public static final class OneOwner {

		private int owner;

		private int count;

		public boolean tryLock(int requester) {
			if (this.count > 0 && this.owner != requester) {
				return false;
			}
			this.owner = requester;
			this.count++;
			return true;
		}

		public boolean unlock(int holder) {
			if (this.count == 0 || this.owner != holder) {
				return false;
			}
			this.count--;
			return true;
		}

	}

}
