package io.lockstarter.redis.quorum;

import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.LockBackend.Release.Reply;
import io.lockstarter.redis.quorum.Tally.Result;
import org.jspecify.annotations.Nullable;

/**
 * What the servers' answers to a release amount to.
 */
final class QuorumRelease {

	private final Tally tally;

	private final boolean ousts;

	private final CompletableFuture<Reply> reply = new CompletableFuture<>();

	private boolean first;

	private boolean repeated;

	private OptionalLong place = OptionalLong.empty();

	QuorumRelease(int servers, boolean ousts) {
		this.tally = new Tally(servers);
		this.ousts = ousts;
	}

	/** Completes when a majority agrees, or all have answered. */
	CompletableFuture<Reply> reply() {
		return this.reply;
	}

	synchronized void count(@Nullable Reply answer, @Nullable LockBackendException failure) {
		Result result;
		if (answer == null) {
			result = this.tally.failed();
		}
		else {
			this.first |= answer.outcome() == Outcome.RELEASED;
			this.repeated |= answer.outcome() == Outcome.RELEASED_BEFORE;
			this.place = answer.position().isPresent() ? answer.position() : this.place;
			result = (answer.outcome() == Outcome.NOT_HELD) ? this.tally.no() : this.tally.yes();
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
	 * Whoever released at a majority is not ousted where that has not arrived yet: every
	 * majority has a server where it has.
	 */
	private boolean isFirst() {
		return this.first && !(this.ousts && this.repeated);
	}

	private void complete(Outcome outcome) {
		this.reply.complete(new Reply(outcome, this.place));
	}

}
