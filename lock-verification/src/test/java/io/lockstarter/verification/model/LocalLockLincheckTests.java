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
 * What several owners do to a lock at once has the results of one after the other.
 * <p>
 * Stressed rather than model checked: the engine has threads of its own, which a model
 * checker would have to know.
 */
@Param(name = "owner", gen = IntGen.class, conf = "0:2")
public class LocalLockLincheckTests {

	private static final int ITERATIONS = Integer.getInteger("verification.lincheck.iterations", 20);

	private static final AtomicLong NAMES = new AtomicLong();

	private static final List<LockOwner> OWNERS = List.of(LockOwner.create("a"), LockOwner.create("b"),
			LockOwner.create("c"));

	/** One for all runs, each of which has a lock of its own. */
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
	 * What a lock is when nothing happens at the same time.
	 */
	public static final class OneOwner {

		private int owner;

		private int count;

		public boolean tryLock(int asking) {
			if (this.count > 0 && this.owner != asking) {
				return false;
			}
			this.owner = asking;
			this.count++;
			return true;
		}

		public boolean unlock(int leaving) {
			if (this.count == 0 || this.owner != leaving) {
				return false;
			}
			this.count--;
			return true;
		}

	}

}
