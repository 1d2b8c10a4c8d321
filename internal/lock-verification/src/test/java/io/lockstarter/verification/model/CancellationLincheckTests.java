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
 * Tests that a request that is cancelled during its grant leaves no trace: all others get
 * the lock, one at a time, with rising tokens.
 */
public class CancellationLincheckTests {

	private static final int ITERATIONS = Integer.getInteger("verification.lincheck.iterations", 20);

	private static final AtomicLong NAMES = new AtomicLong();

	/** Registry of all runs, each of which has its own lock. */
	private static final DefaultLockRegistry REGISTRY = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("one", Duration.ofSeconds(10), Duration.ofMinutes(5), null, false, 8), List.of());

	private final LockRequest lockRequest = LockRequest.of("name-" + NAMES.incrementAndGet())
		.waitTime(Duration.ofSeconds(10));

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicLong lastToken = new AtomicLong();

	/** Uses the lock, and returns a description of any fault. */
	@Operation
	public String use() throws InterruptedException {
		try (LockHandle handle = REGISTRY.acquire(this.lockRequest)) {
			return used(handle.fencingToken());
		}
		catch (LockAcquisitionTimeoutException ex) {
			return "never had a turn";
		}
	}

	@Operation
	public String useUnlessCancelled() {
		CompletableFuture<LockHandle> request = REGISTRY.acquireAsync(this.lockRequest);
		if (request.cancel(false)) {
			return "in turn";
		}
		try (LockHandle handle = request.join()) {
			return used(handle.fencingToken());
		}
		catch (CompletionException ex) {
			return "never had a turn";
		}
	}

	private String used(long token) {
		String result = "in turn";
		if (this.inside.incrementAndGet() != 1) {
			result = "not exclusive";
		}
		if (this.lastToken.getAndSet(token) >= token) {
			result = "with an old token";
		}
		this.inside.decrementAndGet();
		return result;
	}

	@Test
	void everyOtherRequestHasItsTurn() {
		check(2);
	}

	@Tag("stress")
	@Test
	void everyOtherRequestHasItsTurnInTheLongRun() {
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
	 * Expected results.
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
