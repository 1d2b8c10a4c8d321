package io.lockstarter.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Information about a Redis server that matters to locks.
 */
public final class RedisServerInfo {

	private static final String INFO = "return redis.call('INFO')";

	/**
	 * Products by the field of their version. Each product also reports a version of
	 * Redis, so Redis comes last.
	 */
	private static final Map<String, String> PRODUCTS = new LinkedHashMap<>();

	static {
		PRODUCTS.put("valkey_version", "Valkey");
		PRODUCTS.put("dragonfly_version", "Dragonfly");
		PRODUCTS.put("garnet_version", "Garnet");
		PRODUCTS.put("redis_version", "Redis");
	}

	private final @Nullable Properties info;

	RedisServerInfo(@Nullable Properties info) {
		this.info = info;
	}

	/**
	 * Queries a Redis by INFO. Blocks. Finds nothing if the user may not call INFO.
	 * @param connections opens a connection to the Redis
	 * @param key a key of the locks, by which proxies find the server
	 * @return the information
	 * @throws DataAccessResourceFailureException if Redis cannot be reached
	 */
	public static RedisServerInfo of(Supplier<RedisConnection> connections, String key) {
		try (RedisConnection connection = connections.get()) {
			return new RedisServerInfo((connection instanceof RedisClusterConnection)
					? connection.serverCommands().info() : infoWhereScriptsRun(connection, key));
		}
		catch (NonTransientDataAccessException ex) {
			if (ex instanceof DataAccessResourceFailureException) {
				throw ex;
			}
			return new RedisServerInfo(null);
		}
	}

	/**
	 * Queries the server that runs scripts. Commands that only read may be sent to a
	 * replica; scripts are not. Some services refuse scripts without keys.
	 */
	private static Properties infoWhereScriptsRun(RedisConnection connection, String key) {
		byte[] info = connection.scriptingCommands()
			.eval(INFO.getBytes(StandardCharsets.UTF_8), ReturnType.VALUE, 1, key.getBytes(StandardCharsets.UTF_8));
		Properties fields = new Properties();
		if (info != null) {
			new String(info, StandardCharsets.UTF_8).lines().map((line) -> line.split(":", 2)).forEach((field) -> {
				if (field.length == 2) {
					fields.setProperty(field[0], field[1]);
				}
			});
		}
		return fields;
	}

	/**
	 * Returns a readable description.
	 * @return product, version and mode, as far as they are known
	 */
	public String description() {
		String server = PRODUCTS.entrySet()
			.stream()
			.filter((product) -> !values(product.getKey()).isEmpty())
			.findFirst()
			.map((product) -> product.getValue() + " " + String.join(" and ", values(product.getKey())))
			.orElse("Redis");
		Collection<String> modes = new TreeSet<>(values("server_mode"));
		modes.addAll(values("redis_mode"));
		return modes.isEmpty() ? server : server + ", " + String.join(" and ", modes);
	}

	/**
	 * Returns warnings about settings that endanger locks.
	 * @return a sentence for each danger, with its remedy
	 */
	public List<String> warnings() {
		List<String> warnings = new ArrayList<>();
		for (String policy : values("maxmemory_policy")) {
			if (!policy.equals("noeviction") && values("maxmemory").stream().anyMatch((limit) -> !limit.equals("0"))) {
				warnings
					.add("Redis evicts keys when its memory is full (maxmemory-policy %s), which may delete held locks;"
						.formatted(policy)
							+ " set maxmemory-policy to noeviction, or use a separate Redis for the locks");
			}
		}
		if (values("role").stream().anyMatch((role) -> role.equals("slave"))) {
			warnings
				.add("This Redis is a replica, which accepts no writes; connect to its master, or through Sentinel");
		}
		return warnings;
	}

	/** Returns the values of a field on all nodes of a cluster. */
	private Collection<String> values(String field) {
		Collection<String> values = new TreeSet<>();
		if (this.info != null) {
			this.info.stringPropertyNames()
				.stream()
				.filter((name) -> name.equals(field) || name.endsWith("." + field))
				.map(this.info::getProperty)
				.forEach(values::add);
		}
		return values;
	}

}
