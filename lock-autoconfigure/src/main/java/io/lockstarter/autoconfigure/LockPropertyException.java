package io.lockstarter.autoconfigure;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when properties have invalid values.
 */
final class LockPropertyException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private static final String PREFIX = "distributed-lock.";

	private final String[] properties;

	private final @Nullable String registry;

	/**
	 * Creates an exception for properties that are out of range or contradict each other.
	 * @param message the description of the problem
	 * @param properties their names below {@code distributed-lock}
	 */
	LockPropertyException(String message, String... properties) {
		this(message, properties, null);
	}

	private LockPropertyException(String message, String[] properties, @Nullable String registry) {
		super(message);
		this.properties = properties;
		this.registry = registry;
	}

	/** Returns the same exception for the settings of a further registry. */
	LockPropertyException ofRegistry(String name) {
		String message = String.valueOf(getMessage()).replace(PREFIX, prefix(name));
		return new LockPropertyException(message, this.properties, name);
	}

	@Nullable String registry() {
		return this.registry;
	}

	/**
	 * Returns the full names of each property, in the order of precedence. A further
	 * registry inherits a property that it omits from the default one, except for
	 * replication and quorum.
	 */
	List<List<String>> names() {
		return Arrays.stream(this.properties)
			.map((property) -> (this.registry != null) ? names(this.registry, property) : List.of(PREFIX + property))
			.toList();
	}

	private static List<String> names(String registry, String property) {
		String own = prefix(registry) + property;
		boolean inherited = !property.startsWith("replication.") && !property.startsWith("quorum.");
		return inherited ? List.of(own, PREFIX + property) : List.of(own);
	}

	private static String prefix(String registry) {
		return PREFIX + "registries." + registry + ".";
	}

}
