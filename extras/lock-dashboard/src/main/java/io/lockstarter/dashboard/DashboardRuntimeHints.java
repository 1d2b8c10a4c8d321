package io.lockstarter.dashboard;

import io.lockstarter.actuate.ForceReleaseOperation.ForceReleaseDescriptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Runtime hints for the files of the page and the types of its data, which native images
 * need.
 */
final class DashboardRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern(getClass().getPackageName().replace('.', '/') + "/" + DashboardFiles.DIRECTORY + "*");
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), View.class,
				View.LockView.class, InstanceReport.class, DashboardRequest.Csrf.class, ForceReleaseDescriptor.class);
		hints.reflection().registerTypeIfPresent(classLoader, LoginRule.SPRING_SECURITY);
	}

}
