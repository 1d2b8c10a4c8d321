package io.lockstarter.redis.client;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.DomainSocketConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisNode;

/**
 * Readable description of the configured Redis: address, database and user.
 */
final class RedisAddress {

	/** Maximum number of nodes that a description lists. */
	private static final int MAX_NODES = 3;

	private RedisAddress() {
	}

	/**
	 * Describes the address to which a client connects.
	 * @param library the name of the client library
	 */
	static String describe(RedisConfiguration configuration, String library) {
		String user = RedisConfiguration.getUsernameOrElse(configuration, () -> null);
		int database = RedisConfiguration.getDatabaseOrElse(configuration, () -> 0);
		return where(configuration) + ((database != 0) ? ", database " + database : "") + " (" + library
				+ (isKnown(user) ? ", user '" + user + "'" : "") + ")";
	}

	/** Returns the topology of the servers. */
	static String topology(RedisConfiguration configuration) {
		if (configuration instanceof ClusterConfiguration) {
			return "cluster";
		}
		return (configuration instanceof SentinelConfiguration) ? "sentinel" : "standalone";
	}

	private static String where(RedisConfiguration configuration) {
		if (configuration instanceof ClusterConfiguration cluster) {
			return "Redis cluster at " + list(cluster.getClusterNodes());
		}
		if (configuration instanceof SentinelConfiguration sentinels) {
			return "Redis master '%s' known to the Sentinels at %s".formatted(
					(sentinels.getMaster() != null) ? sentinels.getMaster().getName() : "",
					list(sentinels.getSentinels()));
		}
		if (configuration instanceof DomainSocketConfiguration local) {
			return "Redis at " + local.getSocket();
		}
		return String.format(Locale.ROOT, "Redis at %s:%d",
				RedisConfiguration.getHostOrElse(configuration, () -> "localhost"),
				RedisConfiguration.getPortOrElse(configuration, () -> 6379));
	}

	private static String list(Collection<RedisNode> nodes) {
		String first = nodes.stream().limit(MAX_NODES).map(RedisNode::asString).collect(Collectors.joining(", "));
		return (nodes.size() > MAX_NODES) ? first + String.format(Locale.ROOT, " and %d more", nodes.size() - MAX_NODES)
				: first;
	}

	private static boolean isKnown(@Nullable String user) {
		return user != null && !user.isEmpty();
	}

}
