package io.lockstarter.redis.script;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Remembers names that are too long for keys, by what stands for them there: those used
 * last, up to a million characters in all, and none of more than some sixty thousand.
 * <p>
 * Safe for use by many threads.
 */
final class LongNames {

	private static final int MOST_CHARACTERS = 1_000_000;

	/** One may not take the place of all others. */
	private static final int LONGEST = MOST_CHARACTERS / 16;

	private final Map<String, String> names = new LinkedHashMap<>(16, 0.75f, true);

	private int characters;

	synchronized void remember(String digest, String name) {
		if (name.length() > LONGEST || this.names.get(digest) != null) {
			return;
		}
		this.names.put(digest, name);
		this.characters += name.length();
		Iterator<String> eldest = this.names.values().iterator();
		while (this.characters > MOST_CHARACTERS) {
			this.characters -= eldest.next().length();
			eldest.remove();
		}
	}

	synchronized @Nullable String find(String digest) {
		return this.names.get(digest);
	}

}
