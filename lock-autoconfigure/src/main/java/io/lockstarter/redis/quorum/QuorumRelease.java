package io.lockstarter.redis.quorum;

import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.LockBackend.Release.Reply;
import io.lockstarter.redis.quorum.Majority.Result;
import org.jspecify.annotations.Nullable;

/**
 * Combined reply of all servers to a release.
 * <p>
 * Safe for use by multiple threads.
 */
final class QuorumRelease {

	private final Majority majority;

	private final boolean forced;

	private final CompletableFuture<Reply> reply = new CompletableFuture<>();

	private boolean first;

	private boolean repeated;

	private OptionalLong position = OptionalLong.empty();

	QuorumRelease(int servers, boolean forced) {
		this.majority = new Majority(servers);
		this.forced = forced;
	}

	/**
	 * Returns a future that completes when a majority agrees or all servers have replied.
	 */
	CompletableFuture<Reply> reply() {
		return this.reply;
	}

	synchronized void count(@Nullable Reply received, @Nullable LockBackendException failure) {
		Result result;
		if (received == null) {
			result = this.majority.failed();
		}
		else {
			this.first |= received.outcome() == Outcome.RELEASED;
			this.repeated |= received.outcome() == Outcome.RELEASED_BEFORE;
			this.position = received.position().isPresent() ? received.position() : this.position;
			result = (received.outcome() == Outcome.NOT_HELD) ? this.majority.no() : this.majority.yes();
		}
		switch (result) {
			case OPEN -> {
			}
			case YES -> complete(isFirst() ? Outcome.RELEASED : Outcome.RELEASED_BEFORE);
			case NO -> complete(Outcome.NOT_HELD);
			// The lease protected the lock until now.
			case DIVIDED -> complete(Outcome.RELEASED);
			case UNREACHABLE -> this.reply.completeExceptionally(Objects.requireNonNull(failure));
		}
	}

	/**
	 * Returns whether the tenure ended only now. A forced release does not count if the
	 * tenure was already released by a majority: every majority contains a server that
	 * has recorded that release.
	 */
	private boolean isFirst() {
		return this.first && !(this.forced && this.repeated);
	}

	private void complete(Outcome outcome) {
		this.reply.complete(new Reply(outcome, this.position));
	}

}
