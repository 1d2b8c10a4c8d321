package io.lockstarter.contract;

import java.util.Collection;
import java.util.Map;

import io.lockstarter.engine.DefaultLockRegistry;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * Looks into an engine for what it keeps and nobody sees from outside.
 */
public final class EngineInternals {

	private EngineInternals() {
	}

	/** For how many names the engine keeps anything. */
	public static int places(DefaultLockRegistry registry) {
		return ((Map<?, ?>) field(engine(registry), "locks")).size();
	}

	/** How many timed tasks are pending. */
	public static int timers(DefaultLockRegistry registry) {
		return ((Collection<?>) field(field(engine(registry), "timer"), "tasks")).size();
	}

	private static Object engine(DefaultLockRegistry registry) {
		return field(registry, "engine");
	}

	private static Object field(Object target, String name) {
		return ReflectionTestUtils.getField(target, name);
	}

}
