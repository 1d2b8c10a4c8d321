package io.lockstarter.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.Durations;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one call, which may have to be kept for longer than the call.
 */
final class HeldLock implements AutoCloseable {

	private final LockHandle lock;

	private final LockContext context;

	private final Duration atLeast;

	private final long since = System.nanoTime();

	HeldLock(LockHandle lock, LockContext outer, Duration atLeast) {
		this.lock = lock;
		this.context = outer.with(lock);
		this.atLeast = atLeast;
	}

	LockHandle handle() {
		return this.lock;
	}

	/** The locks under which the method runs. */
	LockContext context() {
		return this.context;
	}

	/**
	 * Check by the local clock that the lock is still held.
	 * @throws io.lockstarter.core.LockLostException if it was lost
	 */
	void requireValid() {
		for (LockHandle part : this.lock.parts()) {
			if (!part.isValid()) {
				// Fails without a command, because the lease has ended.
				part.extend(Durations.SHORTEST_LEASE);
			}
		}
	}

	/** Release the lock, or see to it that it is released later. */
	@Override
	public void close() {
		Duration remaining = remaining();
		if (remaining.isZero()) {
			this.lock.close();
		}
		else {
			closeAll(lostOthersReleasedAfter(remaining).iterator());
		}
	}

	/** Whatever one of them throws. */
	private static void closeAll(Iterator<LockHandle> lost) {
		if (lost.hasNext()) {
			try (LockHandle next = lost.next()) {
				closeAll(lost);
			}
		}
	}

	/** The same without waiting for the backend. */
	CompletionStage<@Nullable Void> releaseAsync() {
		Duration remaining = remaining();
		if (remaining.isZero()) {
			return this.lock.releaseAsync();
		}
		return CompletableFuture
			.allOf(lostOthersReleasedAfter(remaining).stream()
				.map((lost) -> lost.releaseAsync().toCompletableFuture())
				.toArray(CompletableFuture[]::new))
			.<@Nullable Void>thenApply((all) -> null);
	}

	/** Of a lost lock nothing is left to keep, and the release tells the loss. */
	private List<LockHandle> lostOthersReleasedAfter(Duration remaining) {
		List<LockHandle> lost = new ArrayList<>();
		for (LockHandle part : this.lock.parts()) {
			if (part.isValid()) {
				part.releaseAfter(remaining);
			}
			else {
				lost.add(part);
			}
		}
		return lost;
	}

	private Duration remaining() {
		Duration remaining = this.atLeast.minusNanos(System.nanoTime() - this.since);
		return remaining.isNegative() ? Duration.ZERO : remaining;
	}

}
