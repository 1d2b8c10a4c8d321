package io.lockstarter.observation;

import java.util.Locale;

/**
 * Enums as they appear in tags.
 */
final class TagValues {

	private TagValues() {
	}

	static String of(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
