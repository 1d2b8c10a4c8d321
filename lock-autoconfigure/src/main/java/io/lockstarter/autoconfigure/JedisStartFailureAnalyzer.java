package io.lockstarter.autoconfigure;

import java.util.List;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.redis.client.RedisErrors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Failure analyzer that adds address and cause when Jedis does not find a cluster or
 * Sentinel. Jedis connects when Spring Boot creates the connection factory, and its
 * exception contains no address.
 */
class JedisStartFailureAnalyzer extends AbstractFailureAnalyzer<JedisException> {

	private static final String CONNECTION_FACTORY = "redisConnectionFactory";

	private static final String CLUSTER = "spring.data.redis.cluster.nodes";

	private static final String SENTINELS = "spring.data.redis.sentinel.nodes";

	private final Binder binder;

	JedisStartFailureAnalyzer(Environment environment) {
		this.binder = Binder.get(environment);
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, JedisException cause) {
		List<String> cluster = nodes(CLUSTER);
		List<String> sentinels = nodes(SENTINELS);
		if (!isOfConnectionFactory(rootFailure) || (cluster.isEmpty() && sentinels.isEmpty())) {
			return null;
		}
		// Spring Boot prefers the Sentinels if both are set.
		boolean isCluster = sentinels.isEmpty();
		String where = isCluster ? "Redis cluster at " + String.join(", ", cluster)
				: "Redis master '%s' known to the Sentinels at %s".formatted(
						this.binder.bind("spring.data.redis.sentinel.master", String.class).orElse(""),
						String.join(", ", sentinels));
		return new FailureAnalysis(
				"%s cannot be used: %s".formatted(where,
						RedisErrors.translate(LockBackendException.NO_LOCK, cause).detail()),
				"Correct %s, or start the servers there. Jedis needs them at startup; with Lettuce the application starts, and locks work once the servers are available."
					.formatted(isCluster ? CLUSTER : "spring.data.redis.sentinel.master and nodes"),
				cause);
	}

	private List<String> nodes(String property) {
		return this.binder.bind(property, Bindable.listOf(String.class)).orElse(List.of());
	}

	private static boolean isOfConnectionFactory(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof BeanCreationException creation && CONNECTION_FACTORY.equals(creation.getBeanName())) {
				return true;
			}
		}
		return false;
	}

}
