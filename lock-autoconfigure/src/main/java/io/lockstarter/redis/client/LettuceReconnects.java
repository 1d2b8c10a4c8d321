package io.lockstarter.redis.client;

import java.net.InetSocketAddress;

import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Why Lettuce has no connection to a single server, while it tries to make it again. It
 * keeps commands meanwhile, so that all that they tell is that no answer came.
 */
final class LettuceReconnects implements AutoCloseable {

	private volatile @Nullable Throwable failure;

	private @Nullable Disposable subscription;

	/** A connection has been opened. */
	synchronized void opened(LettuceFactory factory) {
		LettuceConnectionFactory known = factory.known();
		this.failure = null;
		if (known != null && factory.leadsToOneServer()) {
			close();
			this.subscription = known.getRequiredNativeClient()
				.getResources()
				.eventBus()
				.get()
				.subscribe((event) -> happened(event, known));
		}
	}

	/** Clients may share what tells of events. */
	private void happened(Event event, LettuceConnectionFactory server) {
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
			// Whatever its host is called here: at worst, less is told.
			this.failure = null;
		}
	}

	/** Why it could not be made again the last time; {@code null} if it could. */
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
