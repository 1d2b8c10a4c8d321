package io.lockstarter.verification.model;

/**
 * The scripts of the protocol, or of a variant of it.
 *
 * @param acquire takes a lock
 * @param release ends a tenure
 * @param renew makes tenures last
 */
record Scripts(Script acquire, Script release, Script renew) {

	static Scripts of(Variant variant) {
		return new Scripts(variant.script("acquire"), variant.script("release"), variant.script("renew"));
	}

}
