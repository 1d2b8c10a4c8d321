package io.lockstarter.redis.script;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Cache of the recently used names that are too long for keys, by their digests.
 * <p>
 * Safe for use by multiple threads.
 */
final class LongNames {

	/** Maximum total length of all names, in characters. */
	private static final int MAX_CHARACTERS = 1_000_000;

	/** Maximum length of one name, in characters, so that it cannot evict all others. */
	private static final int MAX_NAME_CHARACTERS = MAX_CHARACTERS / 16;

	private final Map<String, String> names = new LinkedHashMap<>(16, 0.75f, true);

	private int characters;

	synchronized void remember(String digest, String name) {
		if (name.length() > MAX_NAME_CHARACTERS || this.names.get(digest) != null) {
			return;
		}
		this.names.put(digest, name);
		this.characters += name.length();
		Iterator<String> eldest = this.names.values().iterator();
		while (this.characters > MAX_CHARACTERS) {
			this.characters -= eldest.next().length();
			eldest.remove();
		}
	}

	synchronized @Nullable String find(String digest) {
		return this.names.get(digest);
	}

}
