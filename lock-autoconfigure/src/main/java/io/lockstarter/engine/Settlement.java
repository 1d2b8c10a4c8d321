package io.lockstarter.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.backend.LockBackend.Release;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a hold whose release was sent to the backend.
 */
final class Settlement {

	private final Engine engine;

	private final Hold ended;

	private final Duration heldFor;

	private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

	Settlement(Engine engine, Hold ended, Moment now) {
		this.engine = engine;
		this.ended = ended;
		this.heldFor = ended.heldFor(now);
	}

	/** Completes when the release is settled. */
	CompletableFuture<@Nullable Void> done() {
		return this.done;
	}

	void answered(Release.@Nullable Reply reply, @Nullable Throwable failure) {
		if (reply == null) {
			unconfirmed(Objects.requireNonNull(failure));
		}
		else if (reply.outcome() == Release.Outcome.NOT_HELD) {
			LockLoss loss = this.ended.lose(LockLoss.Reason.NOT_OWNED);
			this.done.completeExceptionally(new LockLostException(loss));
			this.engine.listeners().lost(this.ended, loss);
		}
		else {
			this.engine.listeners().released(this.ended, this.heldFor);
			this.done.complete(null);
		}
	}

	private void unconfirmed(Throwable failure) {
		LockBackendException cause = Commands.translate(this.ended.request().name(), failure);
		Tenure tenure = this.ended.tenure();
		this.done.complete(null);
		this.engine.commands().settle(tenure.name(), tenure.id(), tenure.leaseTime());
		this.engine.listeners().released(this.ended, this.heldFor);
		this.engine.listeners().tell((listener) -> listener.releaseUnconfirmed(new Handle(this.ended), cause));
	}

}
