package io.lockstarter.redis.client;

import java.io.IOException;
import java.util.concurrent.CancellationException;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lockstarter.redis.client.RedisFailure.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Translation of failures of Lettuce.
 */
final class LettuceFailures {

	private final LettuceFactory factory;

	private final LettuceConnections connections;

	private final LettuceReconnectFailures reconnects;

	LettuceFailures(LettuceFactory factory, LettuceConnections connections, LettuceReconnectFailures reconnects) {
		this.factory = factory;
		this.connections = connections;
		this.reconnects = reconnects;
	}

	/** Translates the failure of a command. */
	RedisFailure explain(Throwable failure) {
		Throwable cause = Causes.unwrap(failure);
		return (cause instanceof RedisFailure known) ? known : kindOf(cause).at(this.factory.address());
	}

	/** Explains as far as possible why a command got no reply in time. */
	RedisFailure explainTimeout() {
		return timeout(null).at(this.factory.address());
	}

	/**
	 * Explains why nothing can be sent: the connection broke, and the latest attempt to
	 * reconnect failed. Returns {@code null} if the connection is open or may open at any
	 * moment.
	 */
	@Nullable RedisFailure explainOutage() {
		StatefulConnection<?, ?> connection = this.connections.link();
		return (connection != null && !connection.isOpen() && this.reconnects.failure() != null) ? explainTimeout()
				: null;
	}

	private RedisFailure timeout(@Nullable Throwable timeout) {
		Throwable broken = this.reconnects.failure();
		RedisCommandExecutionException refusal = (broken != null)
				? Causes.find(broken, RedisCommandExecutionException.class) : null;
		if (refusal != null && new RedisFailure(Kind.REFUSED, refusal).isAuthenticationFailure()) {
			// The command may have run before the connection broke.
			return new RedisFailure(Kind.REFUSED, refusal).ofRepeated();
		}
		if (broken == null && timeout == null && this.connections.ready() == null) {
			return new RedisFailure(Kind.TIMEOUT, FailureText.ofConnecting(this.factory.usesTls()), null);
		}
		return (broken != null) ? new RedisFailure(Kind.DISCONNECTED, broken)
				: new RedisFailure(Kind.TIMEOUT, FailureText.NO_REPLY, timeout);
	}

	private RedisFailure kindOf(Throwable cause) {
		RedisCommandExecutionException refusal = Causes.find(cause, RedisCommandExecutionException.class);
		if (refusal != null) {
			return new RedisFailure(Kind.REFUSED, refusal);
		}
		if (cause instanceof PartitionSelectorException) {
			return new RedisFailure(Kind.REFUSED, "CLUSTERDOWN No known node serves the slot", cause);
		}
		if (Causes.find(cause, RedisCommandTimeoutException.class) != null) {
			return timeout(cause);
		}
		if (isLost(cause)) {
			return new RedisFailure(Kind.LOST, cause);
		}
		return new RedisFailure(Kind.UNREACHABLE, cause);
	}

	private boolean isLost(Throwable cause) {
		if (cause instanceof IOException || cause instanceof CancellationException) {
			// The connection broke and Lettuce is about to notice, or Lettuce closed it.
			return true;
		}
		if (this.factory.isClosed()) {
			// All connections are closed, and none can be opened.
			return false;
		}
		String message = String.valueOf(cause.getMessage());
		if (message.contains("Connection is closed") || message.contains("Connection disconnected")
				|| message.equals("Connection closed")) {
			// The connection was dropped. The last text is that of commands without a
			// reply.
			return true;
		}
		// The node may be down, and another node may take over its slots.
		return this.connections.ready() != null && this.factory.isCluster()
				&& cause instanceof RedisConnectionException;
	}

}
