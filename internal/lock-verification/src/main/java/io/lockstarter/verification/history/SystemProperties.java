package io.lockstarter.verification.history;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Default values of options from system properties that are not empty, such as
 * {@code verification.hours} for {@code --hours}.
 */
public final class SystemProperties implements IDefaultValueProvider {

	@Override
	public @Nullable String defaultValue(ArgSpec argument) {
		String property = "verification." + ((OptionSpec) argument).longestName().replaceFirst("^-+", "");
		String value = System.getProperty(property, "");
		return value.isBlank() ? null : value;
	}

}
