package io.lockstarter.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.lockstarter.core.Credentials;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Failure analyzer that shows invalid properties with their values and origins, like
 * Spring Boot's analyzer of binding failures. It takes precedence over that analyzer,
 * which would name only the common prefix of the properties.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class LockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<LockPropertyException> {

	private final Environment environment;

	LockPropertyFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockPropertyException cause) {
		String registry = cause.registry();
		String subject = (registry != null) ? "The lock registry '%s'".formatted(registry) : "Distributed locks";
		String places = cause.names()
			.stream()
			.map(this::find)
			.filter(Objects::nonNull)
			.map(LockPropertyFailureAnalyzer::describe)
			.collect(Collectors.joining());
		String description = "%s cannot be set up:%n%n%s    Reason: %s".formatted(subject, places, cause.getMessage());
		String action = "Correct the value where it is set.";
		return new FailureAnalysis(description, (registry != null) ? action
				+ " A property that is not set below distributed-lock.registries.%s is inherited from distributed-lock, except for replication and quorum."
					.formatted(registry)
				: action, cause);
	}

	private static String describe(ConfigurationProperty property) {
		String value = Credentials.masked(String.valueOf(property.getValue()));
		String origin = (property.getOrigin() != null) ? "    Origin: %s%n".formatted(property.getOrigin()) : "";
		return "    Property: %s%n    Value: \"%s\"%n%s".formatted(property.getName(), value, origin);
	}

	private @Nullable ConfigurationProperty find(List<String> names) {
		return names.stream()
			.flatMap((name) -> Stream.of(name, name + "[0]"))
			.map((name) -> find(ConfigurationPropertyName.adapt(name, '.')))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
		return StreamSupport.stream(ConfigurationPropertySources.get(this.environment).spliterator(), false)
			.map((source) -> source.getConfigurationProperty(name))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

}
