package io.lockstarter.sample.redis;

import java.util.Collections;
import java.util.Map;
import java.util.Set;

import io.lockstarter.sample.SampleProperties;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Configuration of an embedded Redis, which is used unless a Redis is configured.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(EmbeddedRedisConfiguration.NoRedisNamed.class)
class EmbeddedRedisConfiguration {

	@Bean
	EmbeddedRedis embeddedRedis(SampleProperties properties) {
		return EmbeddedRedis.startOrJoin(properties.redis().port());
	}

	@Bean
	DataRedisConnectionDetails embeddedRedisConnectionDetails(EmbeddedRedis redis) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(EmbeddedRedis.HOST, redis.port());
			}

		};
	}

	/**
	 * Condition that matches if no property contains the address of a Redis.
	 */
	static class NoRedisNamed extends SpringBootCondition {

		private static final Set<String> ADDRESSES = Set.of("url", "host", "port", "sentinel", "cluster",
				"masterreplica");

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Map<String, Object> properties = Binder.get(context.getEnvironment())
				.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
				.orElse(Map.of());
			boolean none = Collections.disjoint(properties.keySet(), ADDRESSES);
			return new ConditionOutcome(none, ConditionMessage.forCondition("Embedded Redis")
				.because(none ? "no Redis is configured" : "a Redis is configured"));
		}

	}

}
