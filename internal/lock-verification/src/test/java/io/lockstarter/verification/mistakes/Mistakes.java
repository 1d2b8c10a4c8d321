package io.lockstarter.verification.mistakes;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.aop.AspectMistakes;
import io.lockstarter.engine.EngineMistakes;
import io.lockstarter.engine.lock.MachineMistakes;
import io.lockstarter.fence.FenceMistakes;
import io.lockstarter.redis.RedisMistakes;

/**
 * Planted mistakes.
 */
final class Mistakes {

	static final List<Mistake> ALL = Stream
		.of(EngineMistakes.ALL, MachineMistakes.ALL, RedisMistakes.ALL, AspectMistakes.ALL, FenceMistakes.ALL)
		.flatMap(List::stream)
		.toList();

	private Mistakes() {
	}

	/** Returns the mistakes as a page, ordered by the guarantees that they violate. */
	static String page() {
		return Stream
			.of("# Planted mistakes\n\n", "The guarantees are those of the README.\n\n",
					"| breaks | mistake | in | caught by |\n| ---: | --- | --- | --- |\n", rows())
			.collect(Collectors.joining());
	}

	private static String rows() {
		return ALL.stream()
			.sorted((one, other) -> one.guarantee() - other.guarantee())
			.map((mistake) -> "| %d | %s | `%s` | %s |%n".formatted(mistake.guarantee(), mistake.text(),
					mistake.plant(),
					mistake.instruments()
						.stream()
						.map((instrument) -> "`" + Instruments.find(instrument) + "`")
						.collect(Collectors.joining("<br>"))))
			.collect(Collectors.joining());
	}

}
