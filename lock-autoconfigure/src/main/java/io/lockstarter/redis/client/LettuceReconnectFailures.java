package io.lockstarter.redis.client;

import java.net.InetSocketAddress;

import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

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
			LettuceConnectionFactory server = factory.get();
			this.subscription = server.getRequiredNativeClient()
				.getResources()
				.eventBus()
				.get()
				.subscribe((event) -> record(event, server));
		}
	}

	/** Records an event of this server. Several clients may share one event bus. */
	private void record(Event event, LettuceConnectionFactory server) {
		if (event instanceof ReconnectFailedEvent failed && failed.remoteAddress() instanceof InetSocketAddress address
				&& address.getHostString().equals(server.getHostName()) && address.getPort() == server.getPort()) {
			Throwable cause = failed.getCause();
			if (this.failure == null || !Causes.isOnlyClosed(cause)) {
				this.failure = cause;
			}
		}
		else if (event instanceof ConnectionActivatedEvent opened
				&& opened.remoteAddress() instanceof InetSocketAddress address
				&& address.getPort() == server.getPort()) {
			// The host may have another name here. At worst, a failure is forgotten.
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
