package io.lockstarter.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Acquisition of a lock that is held for a minimum time, even if this JVM crashes in the
 * meantime. A lease that is shorter than that time is extended before the method runs.
 * Cancelling the acquisition withdraws the request for the lock.
 */
final class MinimumHold extends CompletableFuture<LockHandle> {

	/**
	 * Time that a reply may have taken, by which the remaining lease seems shorter than
	 * it is: 100 ms.
	 */
	private static final Duration REPLY = Duration.ofMillis(100);

	private final Duration atLeast;

	MinimumHold(CompletableFuture<LockHandle> acquisition, Duration atLeast) {
		this.atLeast = atLeast;
		acquisition.whenComplete((lock, failure) -> {
			if (lock != null) {
				extend(lock);
			}
			else {
				completeExceptionally(Futures.cause(failure));
			}
		});
		whenComplete((lock, failure) -> acquisition.cancel(false));
	}

	private void extend(LockHandle lock) {
		CompletableFuture<?>[] extensions = shorter(lock, this.atLeast).stream()
			.map((part) -> part.extendAsync(this.atLeast).toCompletableFuture())
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(extensions).whenComplete((nothing, failure) -> {
			if (failure != null) {
				lock.releaseAsync().whenComplete((released, second) -> completeExceptionally(refusal(failure, second)));
			}
			else if (!complete(lock)) {
				lock.releaseAsync();
			}
		});
	}

	private static Throwable refusal(Throwable failure, @Nullable Throwable second) {
		Throwable cause = Futures.cause(failure);
		if (second != null && Futures.cause(second) != cause) {
			cause.addSuppressed(Futures.cause(second));
		}
		return cause;
	}

	/**
	 * Extends the lease of a lock that was just granted, if it does not cover the minimum
	 * time. The lock is released if the extension fails.
	 */
	static void cover(LockHandle lock, Duration atLeast) {
		try {
			shorter(lock, atLeast).forEach((part) -> part.extend(atLeast));
		}
		catch (RuntimeException ex) {
			try (lock) {
				throw ex;
			}
		}
	}

	/**
	 * Returns the locks whose lease, without its safety margin, is shorter than a time.
	 */
	private static List<LockHandle> shorter(LockHandle lock, Duration time) {
		Duration enough = time.minus(time.dividedBy(100)).minus(REPLY);
		return lock.parts().stream().filter((part) -> part.remainingLease().compareTo(enough) < 0).toList();
	}

	@Override
	public <U> CompletableFuture<U> newIncompleteFuture() {
		return new CompletableFuture<>();
	}

}
