package io.lockstarter.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
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

	private final CompletableFuture<Runnable> done = new CompletableFuture<>();

	Settlement(Engine engine, Hold ended, Moment now) {
		this.engine = engine;
		this.ended = ended;
		this.heldFor = ended.heldFor(now);
	}

	/**
	 * Completes when the release is settled, with what is to be told of it. Whoever waits
	 * for the release tells it: it would take the time of the thread that brings replies.
	 */
	CompletableFuture<Runnable> done() {
		return this.done;
	}

	void answered(Release.@Nullable Reply reply, @Nullable Throwable failure) {
		String name = this.ended.request().name();
		Tenure tenure = this.ended.tenure();
		if (reply == null) {
			this.engine.commands().settle(name, tenure.id(), tenure.longestRest());
			unconfirmed(Commands.translate(name, Objects.requireNonNull(failure)));
		}
		else if (reply.outcome() != Release.Outcome.NOT_HELD) {
			this.done.complete(this::tell);
		}
		else if (tenure.isValid()) {
			forgotten();
		}
		else {
			unconfirmed(new LockBackendException(name, Reason.TIMEOUT,
					"it carried out the release only after the lease had ended", null));
		}
	}

	/** The backend no longer had the lock although its lease runs on. */
	private void forgotten() {
		LockLoss loss = this.ended.lose(LockLoss.Reason.NOT_OWNED);
		this.done.completeExceptionally(new LockLostException(loss));
		this.engine.listeners().lost(this.ended, loss);
	}

	/**
	 * The lease was valid when the release began, so the lock protected its holder to the
	 * end.
	 */
	private void unconfirmed(LockBackendException cause) {
		this.done.complete(() -> {
			tell();
			this.engine.listeners().tell((listener) -> listener.releaseUnconfirmed(new Handle(this.ended), cause));
		});
	}

	private void tell() {
		this.engine.listeners().released(this.ended, this.heldFor);
	}

}
