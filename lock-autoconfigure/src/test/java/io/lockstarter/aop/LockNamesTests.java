package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockNames}: the name of a lock tells its parts.
 */
class LockNamesTests {

	/** What names are put together with, and what must not be taken for it. */
	private static final String ALPHABET = ":\\a";

	@Test
	void noTwoPairsOfShortTextsMakeTheSameName() {
		List<String> texts = textsUpTo(5);
		Map<String, String> pairs = new HashMap<>();
		for (String name : texts) {
			put(pairs, LockNames.of(name), "(" + name + ")");
			for (String key : texts) {
				put(pairs, LockNames.of(name, key), "(" + name + ", " + key + ")");
			}
		}
		assertThat(pairs).hasSize(texts.size() * (texts.size() + 1));
	}

	@Test
	void partsCanBeReadBackFromAnyName() {
		Random random = new Random(7);
		for (int i = 0; i < 50_000; i++) {
			String name = text(random);
			String key = text(random);
			assertThat(parts(LockNames.of(name, key))).containsExactly(name, key);
			assertThat(parts(LockNames.of(name))).containsExactly(name);
		}
	}

	private static void put(Map<String, String> pairs, String lockName, String pair) {
		assertThat(pairs.put(lockName, pair)).as("the other pair that makes '%s', which %s makes", lockName, pair)
			.isNull();
	}

	private static List<String> textsUpTo(int length) {
		List<String> texts = new ArrayList<>();
		List<String> longest = List.of("");
		for (int i = 1; i <= length; i++) {
			longest = longest.stream()
				.flatMap((text) -> ALPHABET.chars().mapToObj((character) -> text + (char) character))
				.toList();
			texts.addAll(longest);
		}
		return texts;
	}

	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		do {
			text.append(random.nextBoolean() ? ALPHABET.charAt(random.nextInt(3)) : (char) random.nextInt(0x10000));
		}
		while (random.nextInt(8) > 0);
		return text.toString();
	}

	/**
	 * What the parts were, by nothing but the rule that the first bare colon ends the
	 * name.
	 */
	private static List<String> parts(String lockName) {
		StringBuilder name = new StringBuilder();
		for (int i = 0; i < lockName.length(); i++) {
			char character = lockName.charAt(i);
			if (character == ':') {
				return List.of(name.toString(), lockName.substring(i + 1));
			}
			name.append((character == '\\') ? lockName.charAt(++i) : character);
		}
		return List.of(name.toString());
	}

}
