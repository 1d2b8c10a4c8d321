package io.lockstarter.redis.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisServer;

/**
 * Check that drops Lettuce's connection to a master that Sentinels have replaced.
 * <p>
 * Lettuce queries Sentinels for the master when it reconnects. It does not do so while
 * the demoted master merely hangs, and only after increasing delays when that master is
 * down. If a command gets no reply and Sentinels name another master than the connected
 * one, the connection is dropped, and the next command opens another one.
 */
final class SentinelCheck implements RedisConnectionStateListener {

	private static final LockLog logger = LockLog.of(SentinelCheck.class);

	/** Minimum time between two checks: 500 ms. */
	private static final Duration PAUSE = Duration.ofMillis(500);

	private final LettuceFactory factory;

	private final StaleConnectionCheck check;

	private volatile @Nullable SocketAddress address;

	/**
	 * Creates a check of the master of a connection factory, if the factory uses
	 * Sentinels.
	 * @param connector runs the queries to Sentinels, which block
	 * @param drop drops the connection
	 */
	SentinelCheck(LettuceFactory factory, Executor connector, Runnable drop) {
		this.factory = factory;
		this.check = new StaleConnectionCheck(connector, PAUSE, drop);
	}

	/** Records the master to which a connection was just opened. */
	void opened(StatefulConnection<?, ?> connection) {
		if (this.factory.usesSentinels()) {
			this.address = named();
			connection.addListener(this);
		}
	}

	@Override
	public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress socketAddress) {
		this.address = socketAddress;
	}

	/**
	 * Checks in the background whether Sentinels have replaced the master, after a
	 * command that got no reply.
	 */
	void check() {
		if (this.factory.usesSentinels()) {
			this.check.dropIf(this::isReplaced);
		}
	}

	private boolean isReplaced() {
		SocketAddress named = named();
		SocketAddress known = this.address;
		if (named == null || known == null || named.equals(known)) {
			return false;
		}
		logger.info("Sentinels have replaced the master at %s with %s".formatted(known, named));
		this.address = null;
		return true;
	}

	private @Nullable SocketAddress named() {
		RedisSentinelConfiguration sentinels = this.factory.get().getSentinelConfiguration();
		String name = (sentinels != null && sentinels.getMaster() != null) ? sentinels.getMaster().getName() : null;
		try (RedisSentinelConnection connection = this.factory.get().getSentinelConnection()) {
			for (RedisServer master : connection.masters()) {
				if (name != null && name.equals(master.getName()) && master.getHost() != null
						&& master.getPort() != null) {
					return new InetSocketAddress(master.getHost(), master.getPort());
				}
			}
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Querying the Sentinels for the master failed", ex);
		}
		return null;
	}

}
