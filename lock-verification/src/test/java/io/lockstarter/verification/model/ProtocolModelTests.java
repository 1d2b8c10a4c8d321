package io.lockstarter.verification.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lockstarter.testing.StressSummary;
import io.lockstarter.verification.model.ProtocolModel.Step;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches the states of a small world, in which the real scripts run and real machines
 * decide, for two live holders, tokens that do not rise, tenures that live after their
 * end, releases that end others, waiters that are forgotten, and those who come before
 * their turn.
 */
class ProtocolModelTests {

	private static final int STATES = Integer.getInteger("verification.model.states", 100_000);

	private static final int STEPS = Integer.getInteger("verification.model.steps", 1_000_000);

	/** How many states to search in every build. */
	private static final int NEAR = 1_000;

	/** How many steps to walk in every build. */
	private static final int SHORT = 2_000;

	/** How far to search for a mistake, which is found much sooner. */
	private static final int FAR = 300_000;

	private static final int WALK = 100;

	static Stream<Scenario> worlds() {
		return Stream
			.of(Weather.CALM.scenarios("xx", "xxx", "rrx", "rfx", "fff", "wx", "22", "222", "22x", "2rx", "gg2", "ss",
					"sx"), Weather.LATE.scenarios("xx", "rx", "ff", "222", "ss"),
					Weather.REPEATED.scenarios("xx", "rx", "rr", "ff", "222", "2x", "ss", "sf"),
					Weather.FORGETFUL.scenarios("xx", "rx"))
			.flatMap(Function.identity());
	}

	static Stream<Scenario> wideWorlds() {
		return Stream
			.of(Weather.ROUGH.scenarios("xxx", "ssx", "srf", "rrx", "fff", "rxf", "wmx", "222", "22x", "2g3", "2rx"),
					Weather.LATER.scenarios("xx", "rx"),
					Weather.BUSY.scenarios("xx", "xxx", "ff", "rfx", "wx", "mm", "222", "333", "22x", "g2r", "23x",
							"ss", "s2r"),
					Weather.HASTY.scenarios("xx", "xxx", "ff", "rfx", "mm", "222", "22x", "ggg", "sss"))
			.flatMap(Function.identity());
	}

	@ParameterizedTest
	@MethodSource("worlds")
	void findsNoFaultNearby(Scenario scenario) {
		assertThat(search(new ProtocolModel(scenario, Variant.CORRECT), NEAR).fault()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("wideWorlds")
	void findsNoFaultOnRandomWalks(Scenario scenario) {
		assertThat(walk(scenario, Variant.CORRECT, SHORT, 1).fault()).isEmpty();
	}

	@Tag("stress")
	@ParameterizedTest
	@MethodSource("worlds")
	void findsNoFaultFurtherAway(Scenario scenario) {
		expectNone(search(new ProtocolModel(scenario, Variant.CORRECT), STATES));
	}

	@Tag("stress")
	@ParameterizedTest
	@MethodSource("wideWorlds")
	void findsNoFaultOnLongerWalks(Scenario scenario) {
		expectNone(walk(scenario, Variant.CORRECT, STEPS, System.nanoTime()));
	}

	private static void expectNone(Search search) {
		assertThat(search.fault()).isEmpty();
		StressSummary.STATES_SEARCHED.add(search.states());
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "CORRECT")
	void findsPlantedMistake(Variant mistake) {
		Weather weather = switch (mistake) {
			case RELATIVE_COUNTS, RELEASES_BY_OWNER, NO_MARK_OF_THE_END, RENEWS_WHAT_HAS_ENDED, FORGETS_RELEASES,
					READER_ENDS_ALL_SHARES, SHORTENS_LEASE ->
				Weather.REPEATED;
			case TELLS_NOBODY, WAKES_BEFORE_DELETE, READER_PASSES_WRITER, ONE_PERMIT_TOO_MANY -> Weather.CALM;
			case TOKENS_WITHOUT_CLOCK -> Weather.FORGETFUL;
			default -> Weather.ROUGH;
		};
		String modes = switch (mistake) {
			case READER_ENDS_ALL_SHARES -> "rr";
			case READER_PASSES_WRITER -> "rrx";
			case FAIR_IS_OVERTAKEN, DEAD_KEEP_THEIR_PLACE -> "fff";
			case ONE_PERMIT_TOO_MANY -> "222";
			case SHORTENS_LEASE -> "x";
			default -> "xx";
		};
		Scenario scenario = weather.scenario(modes);
		Search search = (weather == Weather.ROUGH) ? walk(scenario, mistake, FAR, 1)
				: search(new ProtocolModel(scenario, mistake), FAR);
		assertThat(search.fault()).contains(mistake.fault());
	}

	@Test
	void countsALeaseFromBeforeTheQuestion() {
		expectNoneAfter(Weather.LATE.scenario("xx"), "0 begins", "the server gets", "time", "time", "time",
				"a client gets");
	}

	@Test
	void reliesOnALeaseForNoLongerThanTheServerKeepsIt() {
		expectNoneAfter(Weather.LATE.scenario("xx"), "0 begins", "the server gets", "a client gets", "time", "time",
				"time");
	}

	@Test
	void handsOnATurnThatItHasNoUseFor() {
		expectNoneAfter(Weather.CALM.scenario("xxx"), "0 begins", "the server gets", "a client gets", "1 begins",
				"the server gets", "a client gets Answer", "2 begins", "the server gets", "a client gets Answer",
				"0 releases", "1 leaves", "1 begins", "the server gets Request[client=0",
				"a client gets Push[client=1");
	}

	@Test
	void countsALeaseThatAMessageGrantsFromBefore() {
		expectNoneAfter(new Scenario("xx", 1, 2, 0, 4, 0, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Answer", "0 releases", "the server gets",
				"a client gets Answer", "time", "time", "time");
	}

	/** The lease of that one is over, and another client has the lock. */
	@Test
	void takesNoGrantOfARequestThatItHasRepeatedSince() {
		expectNoneAfter(new Scenario("xx", 1, 2, 2, 6, 0, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Answer", "0 releases", "the server gets",
				"a client gets Answer", "time", "time", "time", "0 begins", "the server gets", "a client gets Answer",
				"1 looks", "the server gets", "a client gets Answer 1<2 Refused");
	}

	@Test
	void doesNotEndWhatItAsksFor() {
		expectNoneAfter(new Scenario("xx", 1, 2, 0, 0, 1, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "is sent again: Request[client=1", "the server gets Request[client=1", "0 releases",
				"the server gets Request[client=0", "a client gets Push[client=1",
				"the server gets Request[client=1, number=1", "a client gets Answer 1<1 Granted");
	}

	@Test
	void leavesThoseWhoWaitWhenTheSecondCopyOfThatComesFirst() {
		expectNoneAfter(new Scenario("xx", 1, 2, 0, 0, 1, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Answer", "1 leaves", "is sent again: Request[client=1",
				"the server gets Request[client=1, number=2, copy=SECOND");
	}

	@Test
	void grantsNothingToWhatHasEndedWhenItIsAskedForOnceMore() {
		expectNoneAfter(new Scenario("xx", 1, 2, 0, 0, 1, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "is sent again: Request[client=1",
				"the server gets Request[client=1, number=1, copy=SECOND", "a client gets Answer 1<1 Refused",
				"1 leaves", "the server gets Request[client=1, number=2");
	}

	@Test
	void takesNoLossForAReleaseThatALateMessageHasOvertaken() {
		expectNoneAfter(new Scenario("xx", 0, 2, 2, 1, 0, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Answer 1<1", "0 releases", "the server gets", "1 looks",
				"the server gets", "a client gets Answer 1<2 Granted", "1 releases", "a client gets Push[client=1");
	}

	@Test
	void endsWhatALateMessageGrantsAndAnAcquireMayTakeAgain() {
		expectNoneAfter(new Scenario("xx", 1, 2, 2, 0, 0, 1, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Answer 1<1", "1 looks", "1 gives up", "0 releases",
				"the server gets Request[client=0", "a client gets Push[client=1");
	}

	/** It is then no longer among those who wait, by which it could be told. */
	@Test
	void marksTheEndOfWhatWasAskedForTwiceAndGrantedLong() {
		expectNoneAfter(new Scenario("ff", 1, 2, 2, 8, 1, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "is sent again: Request[client=1",
				"the server gets Request[client=1, number=1, copy=SECOND", "a client gets Answer 1<1 Refused",
				"0 releases", "time", "time", "time", "time", "time", "time", "1 looks",
				"the server gets Request[client=1, number=2", "a client gets Answer 1<2 Granted", "1 releases",
				"the server gets Request[client=1, number=3");
	}

	/** Looks closely at what follows some steps. */
	private static void expectNoneAfter(Scenario scenario, String... steps) {
		assertThat(search(after(new ProtocolModel(scenario, Variant.CORRECT), steps), NEAR).fault()).isEmpty();
	}

	private static ProtocolModel after(ProtocolModel first, String... steps) {
		for (String step : steps) {
			first.take(first.steps()
				.stream()
				.filter((next) -> next.toString().startsWith(step))
				.findFirst()
				.orElseThrow(() -> new IllegalStateException(
						"No step " + step + " after" + first.story() + "\n" + first.steps())));
		}
		return first;
	}

	private enum Weather {

		/** Nothing is late or lost. */
		CALM,
		/** Likewise, and there is more to do. */
		BUSY,
		/** Likewise, and who releases a lock asks at once for the next here. */
		HASTY,
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
				case CALM -> new Scenario(modes, 1, 2, 0, 0, 0, 0, 0, 0);
				case BUSY -> new Scenario(modes, 1, 5, 0, 0, 0, 0, 0, 0);
				case HASTY -> new Scenario(modes, 0, 5, 0, 0, 0, 0, 0, 0);
				case LATE -> new Scenario(modes, 1, 1, 1, 6, 0, 0, 0, 0);
				case LATER -> new Scenario(modes, 0, 2, 2, 4, 0, 0, 0, 0);
				case REPEATED -> new Scenario(modes, 0, 2, 2, 0, 2, 1, 0, 0);
				case FORGETFUL -> new Scenario(modes, 1, 2, 1, 2, 1, 1, 0, 1);
				case ROUGH -> new Scenario(modes, 1, 4, 8, 14, 2, 3, 1, 0);
			};
		}

	}

	/** Looks at the states that are nearest, and return the first fault. */
	private static Search search(ProtocolModel first, int most) {
		long start = System.nanoTime();
		Set<Long> seen = new HashSet<>();
		Deque<ProtocolModel> open = new ArrayDeque<>();
		open.add(first);
		ProtocolModel wrong = null;
		while (!open.isEmpty() && wrong == null && seen.size() < most) {
			ProtocolModel state = open.remove();
			for (Step step : state.steps()) {
				ProtocolModel next = state.copy();
				next.take(step);
				if (!next.fault().isEmpty()) {
					wrong = next;
					break;
				}
				if (seen.add(next.fingerprint())) {
					next.rest();
					open.add(next);
				}
			}
		}
		String what = "%s: %d states%s".formatted(first.setting(), seen.size(), open.isEmpty() ? ", all" : "");
		return new Search(report(what, start, wrong), seen.size());
	}

	/** Follows random paths, and return the first fault. */
	private static Search walk(Scenario scenario, Variant variant, int steps, long seed) {
		long start = System.nanoTime();
		Random random = new Random(seed);
		ProtocolModel first = new ProtocolModel(scenario, variant);
		ProtocolModel state = first;
		int walks = 0;
		int taken = 0;
		while (taken < steps && state.fault().isEmpty()) {
			walks++;
			state = first.copy();
			int length = random.nextInt(5, WALK);
			List<Step> next = state.steps();
			for (int i = 0; i < length && state.fault().isEmpty() && !next.isEmpty(); i++) {
				taken++;
				state.take(next.get(random.nextInt(next.size())));
				next = state.steps();
			}
			if (state.fault().isEmpty()) {
				state.settle();
			}
		}
		String what = "%s: %d walks from seed %d".formatted(first.setting(), walks, seed);
		return new Search(report(what, start, state.fault().isEmpty() ? null : state), taken);
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
