package io.lockstarter.verification.history.worker;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;

import io.lockstarter.engine.DefaultLockRegistry;

/**
 * Access to internal state of an engine.
 */
final class Internals {

	private Internals() {
	}

	/** Returns the number of names for which the engine has state. */
	static int names(DefaultLockRegistry registry) {
		return ((Map<?, ?>) field(field(registry, "locks"), "locks")).size();
	}

	/** Returns the number of pending timed tasks. */
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
			throw new IllegalStateException("The fields of the engine have changed: adapt this class", ex);
		}
	}

}
