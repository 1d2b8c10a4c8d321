package io.lockstarter.actuate;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Monitors of the registries that a request may select.
 *
 * @param only the monitor of the only registry, or of the default one
 * @param several all monitors by the names of their registries; empty if there is only
 * one
 */
record MonitorChoice(LockMonitor only, Map<String, LockMonitor> several) {

	MonitorChoice {
		several = Collections.unmodifiableMap(new LinkedHashMap<>(several));
	}

	/**
	 * Returns the monitor of a registry.
	 * @throws InvalidEndpointRequestException if the name does not select one registry
	 */
	LockMonitor of(@Nullable String registry) {
		if (registry == null && this.several.isEmpty()) {
			return this.only;
		}
		LockMonitor chosen = (registry != null) ? this.several.get(registry) : null;
		if (chosen == null) {
			throw new InvalidEndpointRequestException("registry is " + registry,
					this.several.isEmpty() ? "There is only one registry: omit the parameter 'registry'"
							: "The parameter 'registry' must be one of " + String.join(", ", this.several.keySet()));
		}
		return chosen;
	}

	/**
	 * Returns whether a request selects all of several registries, because it names none.
	 */
	boolean isAll(@Nullable String registry) {
		return registry == null && !this.several.isEmpty();
	}

}
