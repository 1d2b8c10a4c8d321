package io.lockstarter.actuate;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * Substitutes for the names of locks, which may contain users' data.
 */
interface ShownNames {

	/** Shows all names as they are. */
	ShownNames ALL = (metricName, name) -> name;

	/** Returns the shown name of a lock with a metric name. */
	String of(String metricName, String name);

	/**
	 * Show the name of a lock of which nothing else is known, as one of the metric name
	 * that its annotation gave it.
	 */
	default String of(String name) {
		return of(LocksEndpoint.metricNameOf(name), name);
	}

	/**
	 * Show what a sanitizer leaves. Its functions see the metric name as the key.
	 * @param authorized whether whoever looks may see names at all
	 */
	static ShownNames by(Sanitizer sanitizer, boolean authorized) {
		return (metricName, name) -> String
			.valueOf(sanitizer.sanitize(new SanitizableData(null, metricName, name), authorized));
	}

}
