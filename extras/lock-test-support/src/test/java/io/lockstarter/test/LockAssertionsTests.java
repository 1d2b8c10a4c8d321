package io.lockstarter.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import org.springframework.core.OverridingClassLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests in classes of their own: the contexts that Spring keeps for other tests are
 * recorded.
 */
class LockAssertionsTests {

	private final ClassLoader fresh = new OverridingClassLoader(getClass().getClassLoader()) {

		@Override
		protected boolean isEligibleForOverriding(String className) {
			return className.startsWith("io.lockstarter.test.");
		}

	};

	@Test
	void failsWhereNoRegistryIsRecorded() throws Exception {
		assertThatNothingIsRecorded();
	}

	@Test
	void failsWhereNoRegistryIsRecordedAnyMore() throws Exception {
		Class<?> type = this.fresh.loadClass(InMemoryLocks.class.getName());
		try (AutoCloseable locks = (AutoCloseable) type.getMethod("create").invoke(null)) {
			Object locked = assertion().invoke(null, action());
			assertThat(locked.getClass().getMethod("holdsNothing").invoke(locked)).isSameAs(locked);
		}
		assertThatNothingIsRecorded();
	}

	private void assertThatNothingIsRecorded() throws Exception {
		Method assertion = assertion();
		assertThatExceptionOfType(InvocationTargetException.class).isThrownBy(() -> assertion.invoke(null, action()))
			.havingCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessageContaining("@AutoConfigureInMemoryLocks")
			.withMessageContaining("InMemoryLocks.create()");
	}

	private Method assertion() throws Exception {
		return this.fresh.loadClass(LockAssertions.class.getName())
			.getMethod("assertThatLocked", ThrowingCallable.class);
	}

	private static ThrowingCallable action() {
		return () -> {
		};
	}

}
