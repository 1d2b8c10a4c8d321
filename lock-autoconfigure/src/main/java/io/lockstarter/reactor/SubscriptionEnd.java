package io.lockstarter.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.context.ContextView;

/**
 * End of one subscription to a {@link LockedFlux}: its work has cleaned up, and its lock
 * is released. A subscriber that cancels is not told of it by Reactor. Thread-safe.
 */
public final class SubscriptionEnd {

	private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();

	private volatile boolean begun;

	/**
	 * Returns a publisher whose only subscription has this end.
	 * @param <T> what it emits
	 * @param locked the publisher under its lock
	 * @return the publisher for that subscription
	 */
	public <T> Flux<T> of(Flux<T> locked) {
		return locked.contextWrite((context) -> context.put(SubscriptionEnd.class, this));
	}

	/**
	 * Runs an action when the subscription is over, or now if there was none.
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

	/** Returns the end that a subscriber has asked for, or one that nobody waits for. */
	static SubscriptionEnd in(ContextView context) {
		SubscriptionEnd end = context.getOrDefault(SubscriptionEnd.class, null);
		return (end != null) ? end : new SubscriptionEnd();
	}

	void begin() {
		this.begun = true;
	}

	/** The subscription is over with this, however it turns out. */
	void with(CompletionStage<?> last) {
		last.whenComplete((nothing, failure) -> this.over.complete(null));
	}

}
