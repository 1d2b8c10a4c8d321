package io.lockstarter.verification.history;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Takes options that are not given from system properties, unless those are empty:
 * {@code --hours} from {@code verification.hours}.
 */
public final class SystemProperties implements IDefaultValueProvider {

	@Override
	public @Nullable String defaultValue(ArgSpec argument) {
		String property = "verification." + ((OptionSpec) argument).longestName().replaceFirst("^-+", "");
		String value = System.getProperty(property, "");
		return value.isBlank() ? null : value;
	}

}
