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
 * Knows the application of the test that a thread runs, and whether its registries are
 * recorded: those of other tests, which Spring keeps, are no proof of that.
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

	/** A registry of the application that does not tell which locks it takes. */
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
