package io.lockstarter.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * Properties under {@code distributed-lock} that have no effect, such as misspelt ones.
 */
final class UnknownProperties {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("distributed-lock");

	private static final Set<ConfigurationPropertyName> KNOWN = names(PREFIX, DistributedLockProperties.class)
		.collect(Collectors.toUnmodifiableSet());

	/**
	 * Prefix of the properties of further registries, which is followed by the name of
	 * the registry.
	 */
	private static final ConfigurationPropertyName REGISTRIES = PREFIX.append("registries");

	private static final List<String> OF_REGISTRY = names(ConfigurationPropertyName.EMPTY,
			DistributedLockProperties.Registry.class)
		.map(ConfigurationPropertyName::toString)
		.toList();

	private UnknownProperties() {
	}

	/**
	 * Returns the unknown properties, each with its origin and the nearest known
	 * property.
	 */
	static List<Unknown> in(Environment environment) {
		return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
			.filter(IterableConfigurationPropertySource.class::isInstance)
			.map(IterableConfigurationPropertySource.class::cast)
			.flatMap(UnknownProperties::in)
			.distinct()
			.toList();
	}

	private static Stream<Unknown> in(IterableConfigurationPropertySource source) {
		return source.filter(PREFIX::isAncestorOf)
			.stream()
			.filter((name) -> known(name).stream().noneMatch((known) -> known.equals(name) || known.isAncestorOf(name)))
			.map((name) -> find(name, source));
	}

	private static Unknown find(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		var property = source.getConfigurationProperty(name);
		String origin = (property != null && property.getOrigin() != null) ? " (%s)".formatted(property.getOrigin())
				: "";
		return new Unknown(name.toString(), origin, nearest(name));
	}

	/** Returns the properties that are known below the same prefix. */
	private static Collection<ConfigurationPropertyName> known(ConfigurationPropertyName name) {
		int depth = REGISTRIES.getNumberOfElements() + 1;
		if (!REGISTRIES.isAncestorOf(name) || name.getNumberOfElements() <= depth) {
			return KNOWN;
		}
		return OF_REGISTRY.stream().map(name.chop(depth)::append).toList();
	}

	private static String nearest(ConfigurationPropertyName unknown) {
		String name = unknown.toString();
		return known(unknown).stream()
			.map(ConfigurationPropertyName::toString)
			.min(Comparator.comparingInt((String known) -> distance(known, name))
				.thenComparing(Comparator.naturalOrder()))
			.orElseThrow();
	}

	private static Stream<ConfigurationPropertyName> names(ConfigurationPropertyName prefix, Class<?> type) {
		return Stream.of(type.getRecordComponents()).flatMap((component) -> names(prefix, component));
	}

	private static Stream<ConfigurationPropertyName> names(ConfigurationPropertyName prefix,
			RecordComponent component) {
		ConfigurationPropertyName name = prefix.append(DataObjectPropertyName.toDashedForm(component.getName()));
		return component.getType().isRecord() ? names(name, component.getType()) : Stream.of(name);
	}

	/**
	 * Returns the Levenshtein distance, which is the number of characters to insert,
	 * delete or replace.
	 */
	static int distance(String one, String other) {
		int[] costs = new int[other.length() + 1];
		for (int i = 0; i <= one.length(); i++) {
			int diagonal = i - 1;
			for (int j = 0; j <= other.length(); j++) {
				int above = costs[j];
				if (i == 0 || j == 0) {
					costs[j] = i + j;
				}
				else {
					int replaced = diagonal + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
					costs[j] = Math.min(replaced, 1 + Math.min(above, costs[j - 1]));
				}
				diagonal = above;
			}
		}
		return costs[other.length()];
	}

	/**
	 * Unknown property.
	 *
	 * @param name its name
	 * @param origin its origin in parentheses, or empty if it is not known
	 * @param nearest the nearest known name
	 */
	record Unknown(String name, String origin, String nearest) {
	}

}
