package io.lockstarter.verification.history.worker;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;

import io.lockstarter.engine.DefaultLockRegistry;

/**
 * Looks into an engine for what it keeps and nobody sees from outside.
 */
final class Internals {

	private Internals() {
	}

	/** For how many names the engine keeps anything. */
	static int places(DefaultLockRegistry registry) {
		return ((Map<?, ?>) field(field(registry, "locks"), "locks")).size();
	}

	/** How many timed tasks are pending. */
	static int timers(DefaultLockRegistry registry) {
		Object timer = field(registry, "timer");
		return ((Collection<?>) field(timer, "tasks")).size() + ((Collection<?>) field(timer, "urgent")).size();
	}

	private static Object field(Object target, String name) {
		try {
			Field field = target.getClass().getDeclaredField(name);
			field.setAccessible(true);
			return field.get(target);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("The engine has changed: look for what it keeps elsewhere", ex);
		}
	}

}
