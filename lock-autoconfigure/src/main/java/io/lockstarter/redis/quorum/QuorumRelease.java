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
 * What the servers' answers to a release amount to.
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

	/** Completes when a majority agrees, or all have answered. */
	CompletableFuture<Reply> reply() {
		return this.reply;
	}

	synchronized void count(@Nullable Reply answer, @Nullable LockBackendException failure) {
		Result result;
		if (answer == null) {
			result = this.majority.failed();
		}
		else {
			this.first |= answer.outcome() == Outcome.RELEASED;
			this.repeated |= answer.outcome() == Outcome.RELEASED_BEFORE;
			this.position = answer.position().isPresent() ? answer.position() : this.position;
			result = (answer.outcome() == Outcome.NOT_HELD) ? this.majority.no() : this.majority.yes();
		}
		switch (result) {
			case OPEN -> {
			}
			case YES -> complete(isFirst() ? Outcome.RELEASED : Outcome.RELEASED_BEFORE);
			case NO -> complete(Outcome.NOT_HELD);
			// A lease that was relied on until now protected the lock to the end.
			case DIVIDED -> complete(Outcome.RELEASED);
			case UNREACHABLE -> this.reply.completeExceptionally(Objects.requireNonNull(failure));
		}
	}

	/**
	 * A tenure that was released at a majority is not taken away where that has not
	 * arrived yet: every majority has a server where it has.
	 */
	private boolean isFirst() {
		return this.first && !(this.forced && this.repeated);
	}

	private void complete(Outcome outcome) {
		this.reply.complete(new Reply(outcome, this.position));
	}

}
