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
 * Lock of one call, which may be held longer than the call.
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

	/** Returns the locks under which the method runs. */
	LockContext context() {
		return this.context;
	}

	/**
	 * Checks by the local clock that the lock is still held.
	 * @throws io.lockstarter.core.LockLostException if it was lost
	 */
	void requireValid() {
		for (LockHandle part : this.lock.parts()) {
			if (!part.isValid()) {
				// The extension throws without a command, because the lease has expired.
				part.extend(Durations.SHORTEST_LEASE);
			}
		}
	}

	/** Releases the lock, or schedules its release. */
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

	/** Closes all handles, even if one of them throws. */
	private static void closeAll(Iterator<LockHandle> lost) {
		if (lost.hasNext()) {
			try (LockHandle next = lost.next()) {
				closeAll(lost);
			}
		}
	}

	/** Releases the lock, or schedules its release, without waiting for the backend. */
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

	/**
	 * Schedules the release of the valid locks, and returns the lost ones, whose release
	 * reports the loss at once.
	 */
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
