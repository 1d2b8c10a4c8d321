package io.lockstarter.actuate;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * Substitution for the names of locks, which may contain personal data.
 */
interface ShownNames {

	/** Substitution that shows all names unchanged. */
	ShownNames ALL = (metricName, name) -> name;

	/** Returns the shown name of a lock. */
	String of(String metricName, String name);

	/**
	 * Returns the shown name of a lock of which only the name is known. The metric name
	 * is derived from the name.
	 */
	default String of(String name) {
		return of(LocksEndpoint.metricNameOf(name), name);
	}

	/**
	 * Returns a substitution by a sanitizer, whose functions see the metric name as the
	 * key.
	 * @param authorized whether the user may see names
	 */
	static ShownNames by(Sanitizer sanitizer, boolean authorized) {
		return (metricName, name) -> String
			.valueOf(sanitizer.sanitize(new SanitizableData(null, metricName, name), authorized));
	}

}
