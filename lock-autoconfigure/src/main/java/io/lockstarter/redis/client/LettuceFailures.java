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
 * What a failure of Lettuce means. A connection that proves to be closed is replaced.
 */
final class LettuceFailures {

	private final LettuceFactory factory;

	private final LettuceConnections connections;

	private final LettuceReconnects reconnects;

	LettuceFailures(LettuceFactory factory, LettuceConnections connections, LettuceReconnects reconnects) {
		this.factory = factory;
		this.connections = connections;
		this.reconnects = reconnects;
	}

	RedisFailure explain(Throwable failure) {
		Throwable cause = Causes.unwrap(failure);
		return (cause instanceof RedisFailure known) ? known : kindOf(cause).at(this.factory.address());
	}

	/** Why a command is not answered, as far as that is known. */
	RedisFailure explainSilence() {
		return silence(null).at(this.factory.address());
	}

	/**
	 * Why nothing can be sent: the connection broke, and could not be made again the last
	 * time. Returns {@code null} if it is open, or may be open at any moment.
	 */
	@Nullable RedisFailure explainOutage() {
		StatefulConnection<?, ?> connection = this.connections.inside();
		return (connection != null && !connection.isOpen() && this.reconnects.failure() != null) ? explainSilence()
				: null;
	}

	private RedisFailure silence(@Nullable Throwable timeout) {
		Throwable broken = this.reconnects.failure();
		RedisCommandExecutionException refusal = (broken != null)
				? Causes.find(broken, RedisCommandExecutionException.class) : null;
		if (refusal != null && new RedisFailure(Kind.REFUSED, refusal).isOfCredentials()) {
			// The command may have run before the connection broke.
			return new RedisFailure(Kind.REFUSED, refusal).ofRepeated();
		}
		if (broken == null && timeout == null && this.connections.ready() == null) {
			return new RedisFailure(Kind.TIMEOUT, FailureText.ofConnecting(this.factory.usesTls()), null);
		}
		return (broken != null) ? new RedisFailure(Kind.DISCONNECTED, broken)
				: new RedisFailure(Kind.TIMEOUT, "no answer to a command in time", timeout);
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
			return silence(cause);
		}
		if (isLost(cause)) {
			return new RedisFailure(Kind.LOST, cause);
		}
		return new RedisFailure(isReconnecting(cause) ? Kind.RECONNECTING : Kind.UNREACHABLE, cause);
	}

	/** Whether Lettuce is told to reject commands until it has connected again. */
	private boolean isReconnecting(Throwable cause) {
		return !this.factory.isStopped() && String.valueOf(cause.getMessage()).contains("not connected");
	}

	private boolean isLost(Throwable cause) {
		if (cause instanceof IOException || cause instanceof CancellationException) {
			// The connection broke, and Lettuce is just about to notice, or closed it.
			return true;
		}
		if (this.factory.isStopped()) {
			// What was open is closed, and nothing can be opened.
			return false;
		}
		if (this.connections.replaceClosed()) {
			return true;
		}
		String message = String.valueOf(cause.getMessage());
		if (message.contains("Connection is closed") || message.contains("Connection disconnected")
				|| (!this.factory.reconnects() && message.contains("not connected"))) {
			// It has been replaced meanwhile, or broke under a command that is not kept.
			return true;
		}
		// The node may be down, and another one take its place.
		return this.connections.isConnectedToCluster() && cause instanceof RedisConnectionException;
	}

}
