package io.lockstarter.verification.model;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A request that is cancelled at the instant when it is granted leaves nothing behind:
 * all others get the lock, one at a time, with rising tokens.
 */
public class CancellationLincheckTests {

	private static final int ITERATIONS = Integer.getInteger("verification.lincheck.iterations", 20);

	private static final AtomicLong NAMES = new AtomicLong();

	/** One for all runs, each of which has a lock of its own. */
	private static final DefaultLockRegistry REGISTRY = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("one", Duration.ofSeconds(10), Duration.ofMinutes(5), null, false, 8), List.of());

	private final LockRequest request = LockRequest.of("name-" + NAMES.incrementAndGet())
		.waitTime(Duration.ofSeconds(10));

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicLong lastToken = new AtomicLong();

	/** Uses the lock; what goes wrong is told. */
	@Operation
	public String use() throws InterruptedException {
		try (LockHandle handle = REGISTRY.acquire(this.request)) {
			return used(handle.fencingToken());
		}
		catch (LockAcquisitionTimeoutException ex) {
			return "never had a turn";
		}
	}

	@Operation
	public String useUnlessCancelled() {
		CompletableFuture<LockHandle> asked = REGISTRY.acquireAsync(this.request);
		if (asked.cancel(false)) {
			return "in turn";
		}
		try (LockHandle handle = asked.join()) {
			return used(handle.fencingToken());
		}
		catch (CompletionException ex) {
			return "never had a turn";
		}
	}

	private String used(long token) {
		String result = "in turn";
		if (this.inside.incrementAndGet() != 1) {
			result = "not alone";
		}
		if (this.lastToken.getAndSet(token) >= token) {
			result = "with an old token";
		}
		this.inside.decrementAndGet();
		return result;
	}

	@Test
	void everybodyElseHasHisTurn() {
		check(2);
	}

	@Tag("stress")
	@Test
	void everybodyElseHasHisTurnInTheLongRun() {
		check(ITERATIONS);
	}

	private static void check(int iterations) {
		new StressOptions().iterations(iterations)
			.invocationsPerIteration(300)
			.threads(3)
			.actorsBefore(1)
			.actorsPerThread(3)
			.actorsAfter(1)
			.sequentialSpecification(InTurn.class)
			.check(CancellationLincheckTests.class);
	}

	/**
	 * What is to be seen.
	 */
	public static final class InTurn {

		public String use() {
			return "in turn";
		}

		public String useUnlessCancelled() {
			return "in turn";
		}

	}

}
