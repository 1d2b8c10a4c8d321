package io.lockstarter.actuate;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * Substitutes for the names of locks, which may contain users' data.
 */
interface ShownNames {

	/** Shows all names as they are. */
	ShownNames ALL = (group, name) -> name;

	/** Returns the shown name of a lock of a group. */
	String of(String group, String name);

	/**
	 * Show the name of a lock of which nothing else is known, as one of the group that
	 * its annotation gave it.
	 */
	default String of(String name) {
		return of(LocksEndpoint.groupOf(name), name);
	}

	/**
	 * Show what a sanitizer leaves. Its functions see the group as the key.
	 * @param authorized whether whoever looks may see names at all
	 */
	static ShownNames by(Sanitizer sanitizer, boolean authorized) {
		return (group, name) -> String.valueOf(sanitizer.sanitize(new SanitizableData(null, group, name), authorized));
	}

}
