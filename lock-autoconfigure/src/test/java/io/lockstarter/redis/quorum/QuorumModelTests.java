package io.lockstarter.redis.quorum;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.lockstarter.redis.quorum.QuorumModel.Bounds;
import io.lockstarter.redis.quorum.QuorumModel.Variant;
import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches the states of a small quorum for two live holders, and for tokens that do not
 * rise.
 */
class QuorumModelTests {

	private static final int STEPS = Integer.getInteger("lockstarter.test.model.steps", 1_000_000);

	/** The mistakes that matter when a server loses its memory. */
	private static final Set<Variant> CRASHING = EnumSet.of(Variant.NO_MARKER, Variant.NO_CLOCK,
			Variant.FORGETFUL_CONFIRM);

	/** As many as take no time. */
	private static final int FEW_STEPS = 20_000;

	@Test
	@Tag("stress")
	void findsNoFaultInAnyStateOfThreeTenures() {
		assertThat(search(new Bounds(2, 3, 2, 0, 0), Variant.CORRECT)).isEmpty();
	}

	@Test
	void findsNoFaultInAnyStateWithAServerThatLosesItsMemory() {
		assertThat(search(new Bounds(2, 2, 2, 1, 0), Variant.CORRECT)).isEmpty();
	}

	@Tag("stress")
	@Test
	void findsNoFaultInAnyStateWithAReader() {
		assertThat(search(new Bounds(2, 2, 2, 1, 1), Variant.CORRECT)).isEmpty();
	}

	/** With a writer as a third tenure it is four million states, and no fault either. */
	@Test
	@Tag("stress")
	void findsNoFaultInAnyStateWithReaders() {
		assertThat(search(new Bounds(2, 2, 2, 1, 2), Variant.CORRECT)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 4 })
	void findsNoFaultOnRandomWalksThroughMore(int readers) {
		assertThat(walk(new Bounds(3, 6, 3, 3, readers), FEW_STEPS)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 4 })
	@Tag("stress")
	void findsNoFaultOnLongRandomWalksThroughMore(int readers) {
		assertThat(walk(new Bounds(3, 6, 3, 3, readers), STEPS)).isEmpty();
	}

	/** It takes 160,000 states. */
	@Test
	@Tag("stress")
	void findsMixedBases() {
		findsPlantedMistake(Variant.MIXED_BASES);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "CORRECT", "MIXED_BASES" })
	void findsPlantedMistake(Variant mistake) {
		boolean crashes = CRASHING.contains(mistake);
		int readers = (mistake == Variant.RAISED_UNCHECKED) ? 2 : 0;
		assertThat(search(new Bounds(2, crashes ? 2 : 3, 2, crashes ? 1 : 0, readers), mistake))
			.startsWith((crashes && mistake != Variant.NO_CLOCK) ? "two live holders" : "token ");
	}

	/** Look at all states, nearest first, and return the first fault. */
	private static String search(Bounds bounds, Variant variant) {
		long start = System.nanoTime();
		Set<Long> seen = new HashSet<>();
		Deque<QuorumModel> open = new ArrayDeque<>();
		open.add(new QuorumModel(bounds, variant));
		StringBuilder fault = new StringBuilder();
		while (!open.isEmpty() && fault.isEmpty()) {
			open.remove().forEachNext((next) -> {
				if (!next.fault().isEmpty() && fault.isEmpty()) {
					fault.append(next.fault());
				}
				if (seen.add(next.fingerprint())) {
					open.add(next);
				}
			});
		}
		report("%s within %s: %d states in %d ms: %s", variant, bounds, seen.size(),
				(System.nanoTime() - start) / 1_000_000, fault.isEmpty() ? "no fault" : fault);
		if (variant == Variant.CORRECT) {
			StressSummary.STATES_SEARCHED.add(seen.size());
		}
		else {
			StressSummary.MISTAKES_CAUGHT.add(fault.isEmpty() ? 0 : 1);
		}
		return fault.toString();
	}

	/** Follow random paths to their ends, and return the first fault. */
	private static String walk(Bounds bounds, int steps) {
		long seed = System.nanoTime();
		report("walking from seed %d", seed);
		Random random = new Random(seed);
		List<QuorumModel> next = new ArrayList<>();
		QuorumModel state = new QuorumModel(bounds, Variant.CORRECT);
		for (int step = 0; step < steps && state.fault().isEmpty(); step++) {
			next.clear();
			state.forEachNext(next::add);
			boolean tired = next.isEmpty() || step % 400 == 0;
			state = tired ? new QuorumModel(bounds, Variant.CORRECT) : next.get(random.nextInt(next.size()));
		}
		StressSummary.STATES_SEARCHED.add(steps);
		return state.fault();
	}

	private static void report(String format, Object... arguments) {
		System.out.printf("[QuorumModelTests] %s%n", format.formatted(arguments));
	}

}
