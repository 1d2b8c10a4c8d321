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
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes Lettuce leave a master that Sentinels have replaced.
 * <p>
 * Lettuce asks Sentinels for the master when it reconnects. It does not do so while the
 * former master merely hangs, and only after ever longer pauses when it is down. When
 * commands stay without an answer and Sentinels name another master than the one that the
 * connection leads to, the connection is left, and opened anew by the next command.
 */
final class SentinelCheck implements RedisConnectionStateListener {

	private static final LockLog logger = LockLog.of(SentinelCheck.class);

	private static final Duration PAUSE = Duration.ofMillis(500);

	private final @Nullable LettuceConnectionFactory connectionFactory;

	private final StaleConnectionCheck check;

	private volatile @Nullable SocketAddress address;

	/**
	 * Watch the master behind a connection factory, if that uses Sentinels.
	 * @param connector runs what blocks while it asks Sentinels
	 * @param leave closes the connection
	 */
	SentinelCheck(LettuceFactory factory, Executor connector, Runnable leave) {
		this.connectionFactory = factory.usesSentinels() ? factory.known() : null;
		this.check = new StaleConnectionCheck(connector, PAUSE, leave);
	}

	/** A connection has been opened, just now, to the master that Sentinels name. */
	void opened(@Nullable StatefulConnection<?, ?> connection) {
		if (this.connectionFactory != null && connection != null) {
			this.address = named(this.connectionFactory);
			connection.addListener(this);
		}
	}

	@Override
	public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress socketAddress) {
		this.address = socketAddress;
	}

	/** A command was not answered: see whether the master is another one. */
	void check() {
		LettuceConnectionFactory factory = this.connectionFactory;
		if (factory != null) {
			this.check.leaveIf(() -> isReplaced(factory));
		}
	}

	private boolean isReplaced(LettuceConnectionFactory factory) {
		SocketAddress named = named(factory);
		SocketAddress known = this.address;
		if (named == null || known == null || named.equals(known)) {
			return false;
		}
		logger.info("Sentinels have replaced the master at %s by %s".formatted(known, named));
		this.address = null;
		return true;
	}

	private static @Nullable SocketAddress named(LettuceConnectionFactory factory) {
		RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
		String name = (sentinels != null && sentinels.getMaster() != null) ? sentinels.getMaster().getName() : null;
		try (RedisSentinelConnection connection = factory.getSentinelConnection()) {
			for (RedisServer master : connection.masters()) {
				if (name != null && name.equals(master.getName()) && master.getHost() != null
						&& master.getPort() != null) {
					return new InetSocketAddress(master.getHost(), master.getPort());
				}
			}
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Sentinels cannot be asked for the master", ex);
		}
		return null;
	}

}
