package io.lockstarter.redis.client;

import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * Failure of Lettuce's latest attempt to reconnect to a single server. Lettuce buffers
 * commands while it reconnects, so the commands themselves report only a timeout.
 * <p>
 * Safe for use by multiple threads.
 */
final class LettuceReconnectFailures implements AutoCloseable {

	private volatile @Nullable Throwable failure;

	private @Nullable Disposable subscription;

	/** Starts to record failures of a connection that was opened. */
	synchronized void opened(LettuceFactory factory) {
		this.failure = null;
		if (factory.leadsToOneServer()) {
			close();
			this.subscription = factory.get()
				.getRequiredNativeClient()
				.getResources()
				.eventBus()
				.get()
				.subscribe(this::record);
		}
	}

	private void record(Event event) {
		if (event instanceof ReconnectFailedEvent failed) {
			Throwable cause = failed.getCause();
			if (this.failure == null || !Causes.isOnlyClosed(cause)) {
				this.failure = cause;
			}
		}
		else if (event instanceof ConnectionActivatedEvent) {
			this.failure = null;
		}
	}

	/**
	 * Returns the failure of the latest attempt to reconnect, or {@code null} if it
	 * succeeded.
	 */
	@Nullable Throwable failure() {
		return this.failure;
	}

	@Override
	public synchronized void close() {
		if (this.subscription != null) {
			this.subscription.dispose();
		}
	}

}
