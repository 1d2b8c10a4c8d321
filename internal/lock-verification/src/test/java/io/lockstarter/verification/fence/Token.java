package io.lockstarter.verification.fence;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Hold with a given token.
 *
 * @param fencingToken the token
 * @param owner the owner
 */
record Token(long fencingToken, LockOwner owner) implements LockHandle {

	Token(long token) {
		this(token, LockOwner.create("holder-" + token));
	}

	@Override
	public String name() {
		return "account";
	}

	@Override
	public String metricName() {
		return "account";
	}

	@Override
	public LockType type() {
		return LockType.REENTRANT;
	}

	@Override
	public int permits() {
		return 1;
	}

	@Override
	public boolean isValid() {
		return true;
	}

	@Override
	public Duration remainingLease() {
		return Duration.ofSeconds(30);
	}

	@Override
	public void extend(Duration lease) {
	}

	@Override
	public CompletionStage<@Nullable Void> releaseAsync() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void close() {
	}

}
