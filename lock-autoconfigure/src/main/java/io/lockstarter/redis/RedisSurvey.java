package io.lockstarter.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What the Redis behind a connection tells of itself that matters to locks.
 */
public final class RedisSurvey {

	private final @Nullable Properties info;

	private RedisSurvey(@Nullable Properties info) {
		this.info = info;
	}

	/**
	 * Ask a Redis by INFO, which blocks. Where the user may not, nothing is found.
	 * @param connectionFactory where Redis is
	 * @return what was found
	 * @throws DataAccessResourceFailureException if Redis cannot be reached
	 */
	public static RedisSurvey of(RedisConnectionFactory connectionFactory) {
		try (RedisConnection connection = connectionFactory.getConnection()) {
			return new RedisSurvey(connection.serverCommands().info());
		}
		catch (NonTransientDataAccessException ex) {
			if (ex instanceof DataAccessResourceFailureException) {
				throw ex;
			}
			return new RedisSurvey(null);
		}
	}

	/**
	 * Describe what was asked.
	 * @return version and mode, as far as they are known
	 */
	public String description() {
		Collection<String> versions = values("redis_version");
		if (versions.isEmpty()) {
			return "Redis";
		}
		return "Redis %s, %s".formatted(String.join(" and ", versions), String.join(" and ", values("redis_mode")));
	}

	/**
	 * Return what endangers locks.
	 * @return a sentence for each danger, with its remedy
	 */
	public List<String> warnings() {
		List<String> warnings = new ArrayList<>();
		for (String policy : values("maxmemory_policy")) {
			if (!policy.equals("noeviction") && values("maxmemory").stream().anyMatch((limit) -> !limit.equals("0"))) {
				warnings.add("Redis evicts keys when its memory is full (maxmemory-policy %s), which may take locks"
					.formatted(policy) + " away from their holders; set it to noeviction, or give the locks a"
						+ " Redis of their own");
			}
		}
		if (values("role").stream().anyMatch((role) -> role.equals("slave"))) {
			warnings.add("Redis answers as a replica, which accepts no writes; connect to its master, or by way of"
					+ " Sentinel");
		}
		return warnings;
	}

	/** The values of a field, of which each node of a cluster has one of its own. */
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
