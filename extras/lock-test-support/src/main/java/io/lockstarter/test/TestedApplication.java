package io.lockstarter.test;

import java.util.Arrays;
import java.util.Optional;

import io.lockstarter.core.LockRegistry;
import io.lockstarter.engine.DefaultLockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Application of the test that the current thread runs. It determines whether the
 * registries of this application are recorded, because recorders of other applications
 * may exist in Spring's context cache.
 */
final class TestedApplication implements TestExecutionListener {

	private static final ThreadLocal<@Nullable TestContext> CURRENT = new ThreadLocal<>();

	@Override
	public void beforeTestMethod(TestContext test) {
		CURRENT.set(test);
	}

	@Override
	public void afterTestMethod(TestContext test) {
		CURRENT.remove();
	}

	/** Returns a registry of the application that is not recorded, if there is one. */
	static Optional<String> unrecordedRegistry() {
		TestContext test = CURRENT.get();
		return (test != null && test.hasApplicationContext()) ? unrecordedRegistry(test.getApplicationContext())
				: Optional.empty();
	}

	private static Optional<String> unrecordedRegistry(ApplicationContext application) {
		boolean recorded = names(application, LockRecorder.class).length > 0;
		return Arrays.stream(names(application, LockRegistry.class))
			.filter((name) -> !recorded || !application.isTypeMatch(name, DefaultLockRegistry.class))
			.map((name) -> "'%s' (%s)".formatted(name, application.getType(name)))
			.findFirst();
	}

	private static String[] names(ApplicationContext application, Class<?> type) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(application, type, true, false);
	}

}
