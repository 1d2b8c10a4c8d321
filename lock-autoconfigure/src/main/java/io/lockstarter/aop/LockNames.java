package io.lockstarter.aop;

/**
 * Lock names that consist of a static name and a key. Different pairs result in different
 * names, because the first colon that is not escaped ends the static name.
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
