package io.lockstarter.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Hints that include the scripts in a native image, and the field by which the locks'
 * client is derived from the application's connection factory.
 */
class ScriptRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern("io/lockstarter/redis/*.lua")
			.registerPattern("io/lockstarter/redis/library/*.lua");
		hints.reflection()
			.registerTypeIfPresent(classLoader,
					"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
					MemberCategory.ACCESS_DECLARED_FIELDS);
	}

}
