package io.lockstarter.aop;

/**
 * Lock names made of a static name and a key, such that different pairs make different
 * names: the first colon that is not escaped ends the static name.
 */
final class LockNames {

	private LockNames() {
	}

	static String of(String name) {
		return name.replace("\\", "\\\\").replace(":", "\\:");
	}

	static String of(String name, String key) {
		return of(name) + ":" + key;
	}

}
