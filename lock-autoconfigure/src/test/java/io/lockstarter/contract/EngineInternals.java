package io.lockstarter.contract;

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
		return ((Map<?, ?>) field(field(registry, "locks"), "locks")).size();
	}

	/** How many timed tasks are pending. */
	public static int timers(DefaultLockRegistry registry) {
		return (Integer) ReflectionTestUtils.invokeMethod(field(registry, "timer"), "size");
	}

	/** Whether a registry that has a lock knows that another one waits for it. */
	static boolean isWanted(DefaultLockRegistry registry, String name) {
		Object lock = ((Map<?, ?>) field(field(registry, "locks"), "locks")).get(name);
		Object tenure = field(field(field(field(lock, "machine"), "exchange"), "state"), "tenure");
		return ReflectionTestUtils.getField(tenure, "handovers") != null;
	}

	/** Whether a registry hears of others that wait; it begins to if not. */
	static boolean isSubscribed(DefaultLockRegistry registry) {
		return Boolean.TRUE.equals(ReflectionTestUtils.invokeMethod(field(registry, "commands"), "isSubscribed"));
	}

	private static Object field(Object target, String name) {
		return ReflectionTestUtils.getField(target, name);
	}

}
