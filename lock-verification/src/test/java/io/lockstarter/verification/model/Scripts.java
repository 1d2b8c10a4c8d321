package io.lockstarter.verification.model;

import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The scripts of the protocol, or of a variant of it.
 *
 * @param acquire takes a lock
 * @param release ends a tenure
 * @param renew makes tenures last
 */
record Scripts(Map<String, Script> all) {

	static Scripts of(Variant variant) {
		return new Scripts(Stream
			.of("acquire", "acquire_fair", "acquire_shared", "release", "release_shared", "yield", "cancel", "renew")
			.collect(Collectors.toMap(Function.identity(), variant::script)));
	}

	Script get(String name) {
		return Objects.requireNonNull(this.all.get(name), name);
	}

}
