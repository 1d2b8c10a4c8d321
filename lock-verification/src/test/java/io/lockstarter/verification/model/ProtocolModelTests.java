package io.lockstarter.verification.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lockstarter.testing.StressSummary;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches the states of a small world, in which the real scripts run, for two live
 * holders, tokens that do not rise, tenures that live after their end, releases that end
 * others, waiters that are forgotten, and those who come before their turn.
 */
class ProtocolModelTests {

	private static final int STATES = Integer.getInteger("verification.model.states", 100_000);

	private static final int STEPS = Integer.getInteger("verification.model.steps", 200_000);

	/** How far to search in every build. */
	private static final int NEAR = 1_000;

	/** How far to search for a mistake, which is found much sooner. */
	private static final int FAR = 300_000;

	private static final int WALK = 60;

	static Stream<Scenario> worlds() {
		return Stream
			.of(Weather.CALM.scenarios("xx", "xxx", "rrx", "rfx", "fff"), Weather.LATE.scenarios("xx", "rx", "ff"),
					Weather.REPEATED.scenarios("xx", "rx", "rr", "ff"), Weather.FORGETFUL.scenarios("xx", "rx"))
			.flatMap(Function.identity());
	}

	static Stream<Scenario> roughWorlds() {
		return Stream.concat(Weather.ROUGH.scenarios("xxx", "rrx", "fff", "rxf"), Weather.LATER.scenarios("xx", "rx"));
	}

	@ParameterizedTest
	@MethodSource("worlds")
	void findsNoFaultNearby(Scenario scenario) {
		assertThat(search(new ProtocolModel(scenario, Variant.CORRECT), NEAR).fault()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("roughWorlds")
	void findsNoFaultOnRandomWalks(Scenario scenario) {
		assertThat(walk(scenario, Variant.CORRECT, NEAR, 1).fault()).isEmpty();
	}

	@Tag("stress")
	@ParameterizedTest
	@MethodSource("worlds")
	void findsNoFaultFurtherAway(Scenario scenario) {
		expectNone(search(new ProtocolModel(scenario, Variant.CORRECT), STATES));
	}

	@Tag("stress")
	@ParameterizedTest
	@MethodSource("roughWorlds")
	void findsNoFaultOnLongerWalks(Scenario scenario) {
		expectNone(walk(scenario, Variant.CORRECT, STEPS, System.nanoTime()));
	}

	private static void expectNone(Search search) {
		assertThat(search.fault()).isEmpty();
		StressSummary.STATES_SEARCHED.add(search.states());
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "CORRECT", "DEADLINE_FROM_ANSWER", "DEADLINE_BEYOND_LEASE",
			"DEADLINE_FROM_MESSAGE", "ENDS_WHAT_IT_ASKS_FOR", "KEEPS_A_TURN" })
	void findsPlantedMistake(Variant mistake) {
		Weather weather = switch (mistake) {
			case RELATIVE_COUNTS, RELEASES_BY_OWNER, NO_MARK_OF_THE_END, RENEWS_WHAT_HAS_ENDED, FORGETS_RELEASES,
					READER_ENDS_ALL_SHARES, SHORTENS_LEASE ->
				Weather.REPEATED;
			case TELLS_NOBODY, WAKES_BEFORE_DELETE, READER_PASSES_WRITER -> Weather.CALM;
			case TOKENS_WITHOUT_CLOCK -> Weather.FORGETFUL;
			default -> Weather.ROUGH;
		};
		String modes = switch (mistake) {
			case READER_ENDS_ALL_SHARES -> "rr";
			case READER_PASSES_WRITER -> "rrx";
			case FAIR_IS_OVERTAKEN, DEAD_KEEP_THEIR_PLACE -> "fff";
			case SHORTENS_LEASE -> "x";
			default -> "xx";
		};
		Scenario scenario = weather.scenario(modes);
		Search search = (weather == Weather.ROUGH) ? walk(scenario, mistake, FAR, 1)
				: search(new ProtocolModel(scenario, mistake), FAR);
		assertThat(search.fault()).contains(Objects.requireNonNull(mistake.fault()));
	}

	@Test
	void findsLeaseThatCountsFromTheArrivalOfAnAnswer() {
		expectFound(Variant.DEADLINE_FROM_ANSWER, Weather.LATE.scenario("xx"), "0 begins", "the server gets", "time",
				"time", "a client gets");
	}

	@Test
	void findsLeaseThatIsReliedOnForTooLong() {
		expectFound(Variant.DEADLINE_BEYOND_LEASE, Weather.LATE.scenario("xx"), "0 begins", "the server gets",
				"a client gets", "time", "time");
	}

	@Test
	void findsTurnThatIsKeptByOneWhoHasLeft() {
		expectFound(Variant.KEEPS_A_TURN, Weather.CALM.scenario("xxx"), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Answer", "2 begins", "the server gets",
				"a client gets Answer", "0 releases");
	}

	@Test
	void findsLeaseThatCountsFromTheArrivalOfAMessage() {
		expectFound(Variant.DEADLINE_FROM_MESSAGE, new Scenario("xx", 2, 3, 4, 0, 0, 0, 0), "0 begins",
				"the server gets", "a client gets", "1 begins", "the server gets", "a client gets Answer", "0 releases",
				"the server gets", "a client gets Answer", "time", "time", "time");
	}

	@Test
	void findsTenureThatIsEndedWhileItIsAskedFor() {
		expectFound(Variant.ENDS_WHAT_IT_ASKS_FOR, new Scenario("xx", 2, 4, 0, 1, 0, 0, 0), "0 begins",
				"the server gets", "a client gets", "1 begins", "the server gets, for the first time", "0 releases",
				"the server gets Release", "a client gets Push");
	}

	/** Look for a mistake after some steps. */
	private static void expectFound(Variant mistake, Scenario scenario, String... steps) {
		assertThat(search(after(new ProtocolModel(scenario, mistake), steps), FAR).fault())
			.contains(Objects.requireNonNull(mistake.fault()));
		assertThat(search(after(new ProtocolModel(scenario, Variant.CORRECT), steps), NEAR).fault()).isEmpty();
	}

	private static ProtocolModel after(ProtocolModel first, String... steps) {
		ProtocolModel state = first;
		for (String step : steps) {
			List<ProtocolModel> next = new ArrayList<>();
			state.forEachNext(next::add);
			state = next.stream().filter((after) -> after.step().startsWith(step)).findFirst().orElseThrow();
		}
		return state;
	}

	private enum Weather {

		/** Nothing is late or lost. */
		CALM,
		/** Messages take long. */
		LATE,
		/** Likewise, and clients ask again. */
		LATER,
		/** Requests arrive twice, or when nobody waits for an answer any more. */
		REPEATED,
		/** The server loses its memory. */
		FORGETFUL,
		/** Whatever may happen. */
		ROUGH;

		Stream<Scenario> scenarios(String... modes) {
			return Arrays.stream(modes).map(this::scenario);
		}

		Scenario scenario(String modes) {
			return switch (this) {
				case CALM -> new Scenario(modes, 2, 4, 0, 0, 0, 0, 0);
				case LATE -> new Scenario(modes, 1, 2, 6, 0, 0, 0, 0);
				case LATER -> new Scenario(modes, 2, 3, 4, 0, 0, 0, 0);
				case REPEATED -> new Scenario(modes, 2, 4, 0, 2, 1, 0, 0);
				case FORGETFUL -> new Scenario(modes, 2, 3, 2, 1, 1, 0, 1);
				case ROUGH -> new Scenario(modes, 4, 12, 14, 2, 3, 1, 0);
			};
		}

	}

	/** Look at the states that are nearest, and return the first fault. */
	private static Search search(ProtocolModel first, int most) {
		long start = System.nanoTime();
		Set<Long> seen = new HashSet<>();
		Deque<ProtocolModel> open = new ArrayDeque<>();
		open.add(first);
		List<ProtocolModel> wrong = new ArrayList<>();
		while (!open.isEmpty() && wrong.isEmpty() && seen.size() < most) {
			open.remove().forEachNext((next) -> {
				if (!next.fault().isEmpty()) {
					wrong.add(next);
				}
				if (seen.add(next.fingerprint())) {
					open.add(next);
				}
			});
		}
		String what = "%s: %d states%s".formatted(first.setting(), seen.size(), open.isEmpty() ? ", all" : "");
		return new Search(report(what, start, wrong.isEmpty() ? null : wrong.get(0)), seen.size());
	}

	/** Follow random paths, and return the first fault. */
	private static Search walk(Scenario scenario, Variant variant, int steps, long seed) {
		long start = System.nanoTime();
		Random random = new Random(seed);
		List<ProtocolModel> next = new ArrayList<>();
		ProtocolModel first = new ProtocolModel(scenario, variant);
		ProtocolModel state = first;
		int walks = 0;
		int step = 0;
		while (step < steps && state.fault().isEmpty()) {
			walks++;
			state = first;
			int length = random.nextInt(5, WALK);
			for (int i = 0; i < length && state.fault().isEmpty(); i++) {
				next.clear();
				state.forEachNext(next::add);
				if (next.isEmpty()) {
					break;
				}
				step++;
				state = next.get(random.nextInt(next.size()));
			}
			if (state.fault().isEmpty()) {
				state = state.settled();
			}
		}
		String what = "%s: %d walks from seed %d".formatted(first.setting(), walks, seed);
		return new Search(report(what, start, state.fault().isEmpty() ? null : state), step);
	}

	private static String report(String what, long start, @Nullable ProtocolModel wrong) {
		String found = (wrong != null) ? wrong.fault() + wrong.story() : "";
		System.out.printf("[ProtocolModelTests] %s in %d ms: %s%n", what, (System.nanoTime() - start) / 1_000_000,
				(wrong != null) ? found : "no fault");
		return found;
	}

	/**
	 * What a search has found.
	 *
	 * @param fault the first fault, empty if there is none
	 * @param states how many states it has seen
	 */
	private record Search(String fault, int states) {
	}

}
