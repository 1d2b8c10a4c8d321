package io.lockstarter.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockKeys}: whatever its name, a lock has keys of its own in one slot.
 */
class LockKeysTests {

	/** What has a meaning in a key, and what looks like it. */
	private static final String HOSTILE = "{}%:\\hu07BDF\r\n\0 \u007f\u00e4\ud83d\ude00";

	private final LockKeys keys = new LockKeys("lock:", () -> "client");

	@Test
	void namesCanBeReadBackFromKeys() {
		Random random = new Random(11);
		for (int i = 0; i < 100_000; i++) {
			String name = name(random, 8);
			String key = this.keys.lock(name);
			assertThat(this.keys.name(key)).isEqualTo(name);
			assertThat(hashTag(key)).as("the tag of %s", key)
				.isEqualTo(key.substring("lock:{".length(), key.length() - 1));
		}
	}

	@Test
	void longNamesHaveShortKeysOfTheirOwn() {
		Random random = new Random(13);
		Map<String, String> names = new HashMap<>();
		for (int i = 0; i < 2_000; i++) {
			String name = name(random, 8) + "x".repeat(505 + random.nextInt(20)) + name(random, 8);
			String key = this.keys.lock(name);
			assertThat(key.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(512 + "lock:{}".length());
			String other = names.put(key, name);
			assertThat((other != null) ? other : name).isEqualTo(name);
		}
	}

	/** Else a message about one would be one about all locks. */
	@Test
	void longNamesAreKnownByTheirKeysIfTheyWereUsedOfLate() {
		String one = this.keys.lock("x".repeat(600));
		assertThat(this.keys.name(one)).isNull();
		for (int i = 0; i < 2_000; i++) {
			String name = "y".repeat(1000) + i;
			assertThat(this.keys.usedName(this.keys.lock(name))).isEqualTo(name);
			assertThat(this.keys.lock("x".repeat(600))).isEqualTo(one);
		}
		assertThat(this.keys.usedName(one)).isEqualTo("x".repeat(600));
		for (int i = 0; i < 1_000; i++) {
			this.keys.lock("z".repeat(1000) + i);
		}
		assertThat(this.keys.usedName(one)).as("before a million other characters").isNull();
		assertThat(this.keys.usedName(this.keys.lock("a}"))).isEqualTo("a}");
	}

	@Test
	void enormousNameIsNotRememberedInPlaceOfOthers() {
		String other = this.keys.lock("x".repeat(600));
		assertThat(this.keys.usedName(this.keys.lock("x".repeat(1_000_001)))).isNull();
		assertThat(this.keys.usedName(other)).isEqualTo("x".repeat(600));
	}

	/** The key of a long name is a text that is no short name's key. */
	@Test
	void noShortNameHasTheKeyOfALongOne() {
		String key = this.keys.lock("x".repeat(600));
		String inside = hashTag(key);
		assertThat(inside).startsWith("%h");
		assertThat(this.keys.lock(inside)).isNotEqualTo(key);
	}

	/** A message begins with the key, or with what it says of the key. */
	@Test
	void noKeyBeginsLikeAMessageOfAnotherKind() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockKeys("-lock:", () -> "client"))
			.withMessageContaining("-lock:");
		assertThat(new LockKeys("my-lock-", () -> "client").lock("a")).isEqualTo("my-lock-{a}");
	}

	private static String name(Random random, int longest) {
		StringBuilder name = new StringBuilder();
		int length = 1 + random.nextInt(longest);
		for (int i = 0; i < length; i++) {
			name.append(random.nextInt(8) > 0 ? HOSTILE.charAt(random.nextInt(HOSTILE.length()))
					: (char) random.nextInt(0x10000));
		}
		return name.toString();
	}

	/**
	 * What Redis takes for the hash tag: between the first brace and the next closing
	 * one.
	 */
	private static String hashTag(String key) {
		int from = key.indexOf('{') + 1;
		return key.substring(from, key.indexOf('}', from));
	}

}
