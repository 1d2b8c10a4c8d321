package io.lockstarter.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.context.ContextView;

/**
 * End of one subscription to a {@link LockedFlux}, after its work has cleaned up and its
 * lock is released. Reactor does not notify a cancelling subscriber of that. Thread-safe.
 */
public final class SubscriptionEnd {

	private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();

	private volatile boolean begun;

	/**
	 * Returns a publisher whose only subscription has this end.
	 * @param <T> the type of the elements
	 * @param locked the publisher under its lock
	 * @return the publisher for that subscription
	 */
	public <T> Flux<T> of(Flux<T> locked) {
		return locked.contextWrite((context) -> context.put(SubscriptionEnd.class, this));
	}

	/**
	 * Runs an action once the subscription has ended, or now if there was none.
	 * @param action the action
	 */
	public void whenOver(Runnable action) {
		if (this.begun) {
			this.over.thenRun(action);
		}
		else {
			action.run();
		}
	}

	/** Returns the end that a subscriber has put into the context, or a new one. */
	static SubscriptionEnd in(ContextView context) {
		SubscriptionEnd end = context.getOrDefault(SubscriptionEnd.class, null);
		return (end != null) ? end : new SubscriptionEnd();
	}

	void begin() {
		this.begun = true;
	}

	/**
	 * Completes this end after the last step of the subscription, even if the step fails.
	 */
	void with(CompletionStage<?> last) {
		last.whenComplete((nothing, failure) -> this.over.complete(null));
	}

}
