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
 * Searches of the states of a small model, which uses the actual scripts and state
 * machines. The searches look for two valid holders, tokens that do not rise, tenures
 * that exist after their end, releases that end other holds, forgotten waiters, and
 * barging.
 */
class ProtocolModelTests {

	private static final int STATES = Integer.getInteger("verification.model.states", 100_000);

	private static final int STEPS = Integer.getInteger("verification.model.steps", 1_000_000);

	/** Number of states to search in every build. */
	private static final int STATES_PER_BUILD = 1_000;

	/** Number of steps of random walks in every build. */
	private static final int STEPS_PER_BUILD = 2_000;

	/** Limit on states to search for a planted mistake, which is found much sooner. */
	private static final int MISTAKE_BOUND = 300_000;

	/** Limit on the steps of one random walk. */
	private static final int MAX_WALK_STEPS = 100;

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
		assertThat(search(new ProtocolModel(scenario, Variant.CORRECT), STATES_PER_BUILD).fault()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("wideWorlds")
	void findsNoFaultOnRandomWalks(Scenario scenario) {
		assertThat(walk(scenario, Variant.CORRECT, STEPS_PER_BUILD, 1).fault()).isEmpty();
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
			case RELATIVE_COUNTS, RELEASES_BY_OWNER, NO_TOMBSTONE, RENEWS_WHAT_HAS_ENDED, FORGETS_RELEASES,
					READER_ENDS_ALL_SHARES, SHORTENS_LEASE ->
				Weather.REPEATED;
			case NOTIFIES_NOBODY, WAKES_BEFORE_DELETE, READER_BARGES_PAST_WRITER, ONE_PERMIT_TOO_MANY -> Weather.CALM;
			case TOKENS_WITHOUT_CLOCK -> Weather.FORGETFUL;
			default -> Weather.ROUGH;
		};
		String modes = switch (mistake) {
			case READER_ENDS_ALL_SHARES -> "rr";
			case READER_BARGES_PAST_WRITER -> "rrx";
			case FAIR_REQUEST_BARGES, DEAD_KEEP_QUEUE_POSITION -> "fff";
			case ONE_PERMIT_TOO_MANY -> "222";
			case SHORTENS_LEASE -> "x";
			default -> "xx";
		};
		Scenario scenario = weather.scenario(modes);
		Search search = (weather == Weather.ROUGH) ? walk(scenario, mistake, MISTAKE_BOUND, 1)
				: search(new ProtocolModel(scenario, mistake), MISTAKE_BOUND);
		assertThat(search.fault()).contains(mistake.fault());
	}

	@Test
	void countsALeaseFromTheRequest() {
		expectNoneAfter(Weather.LATE.scenario("xx"), "0 begins", "the server gets", "time", "time", "time",
				"a client gets");
	}

	@Test
	void reliesOnALeaseForNoLongerThanTheServerKeepsIt() {
		expectNoneAfter(Weather.LATE.scenario("xx"), "0 begins", "the server gets", "a client gets", "time", "time",
				"time");
	}

	@Test
	void leavesTheQueueWhenItNoLongerWaits() {
		expectNoneAfter(Weather.CALM.scenario("xxx"), "0 begins", "the server gets", "a client gets", "1 begins",
				"the server gets", "a client gets Response", "2 begins", "the server gets", "a client gets Response",
				"0 releases", "1 leaves", "1 begins", "the server gets Request[client=0",
				"a client gets Push[client=1");
	}

	@Test
	void countsALeaseGrantedByMessageFromTheRequest() {
		expectNoneAfter(new Scenario("xx", 1, 2, 0, 4, 0, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Response", "0 releases", "the server gets",
				"a client gets Response", "time", "time", "time");
	}

	/** Checks a late grant whose lease has ended while another client holds the lock. */
	@Test
	void rejectsAGrantOfARequestThatItHasRepeated() {
		expectNoneAfter(new Scenario("xx", 1, 2, 2, 6, 0, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Response", "0 releases", "the server gets",
				"a client gets Response", "time", "time", "time", "0 begins", "the server gets",
				"a client gets Response", "1 rechecks", "the server gets", "a client gets Response 1<2 Refused");
	}

	@Test
	void doesNotCancelWhatItRequests() {
		expectNoneAfter(new Scenario("xx", 1, 2, 0, 0, 1, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "is sent again: Request[client=1", "the server gets Request[client=1", "0 releases",
				"the server gets Request[client=0", "a client gets Push[client=1",
				"the server gets Request[client=1, number=1", "a client gets Response 1<1 Granted");
	}

	@Test
	void leavesTheQueueWhenTheSecondCopyArrivesFirst() {
		expectNoneAfter(new Scenario("xx", 1, 2, 0, 0, 1, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Response", "1 leaves", "is sent again: Request[client=1",
				"the server gets Request[client=1, number=2, copy=SECOND");
	}

	@Test
	void grantsNothingToAnEndedTenureThatIsRequestedAgain() {
		expectNoneAfter(new Scenario("xx", 1, 2, 0, 0, 1, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "is sent again: Request[client=1",
				"the server gets Request[client=1, number=1, copy=SECOND", "a client gets Response 1<1 Refused",
				"1 leaves", "the server gets Request[client=1, number=2");
	}

	@Test
	void reportsNoLossWhenALateMessageFollowsARelease() {
		expectNoneAfter(new Scenario("xx", 0, 2, 2, 1, 0, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Response 1<1", "0 releases", "the server gets",
				"1 rechecks", "the server gets", "a client gets Response 1<2 Granted", "1 releases",
				"a client gets Push[client=1");
	}

	@Test
	void cancelsALateGrantThatAnAcquireMayTakeAgain() {
		expectNoneAfter(new Scenario("xx", 1, 2, 2, 0, 0, 1, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "the server gets", "a client gets Response 1<1", "1 rechecks", "1 gives up", "0 releases",
				"the server gets Request[client=0", "a client gets Push[client=1");
	}

	/**
	 * Checks a tenure that is no longer in the queue, so that only a tombstone identifies
	 * it.
	 */
	@Test
	void leavesATombstoneForATenureThatWasRequestedTwice() {
		expectNoneAfter(new Scenario("ff", 1, 2, 2, 8, 1, 0, 0, 0), "0 begins", "the server gets", "a client gets",
				"1 begins", "is sent again: Request[client=1",
				"the server gets Request[client=1, number=1, copy=SECOND", "a client gets Response 1<1 Refused",
				"0 releases", "time", "time", "time", "time", "time", "time", "1 rechecks",
				"the server gets Request[client=1, number=2", "a client gets Response 1<2 Granted", "1 releases",
				"the server gets Request[client=1, number=3");
	}

	/** Searches the states that follow some steps. */
	private static void expectNoneAfter(Scenario scenario, String... steps) {
		assertThat(search(after(new ProtocolModel(scenario, Variant.CORRECT), steps), STATES_PER_BUILD).fault())
			.isEmpty();
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

		/** No message is late or lost. */
		CALM,
		/** No message is late or lost, and clients send more requests. */
		BUSY,
		/**
		 * No message is late or lost, and the lock is not handed over while others wait.
		 */
		HASTY,
		/** Messages are late. */
		LATE,
		/** Messages are late, and clients repeat requests. */
		LATER,
		/** Requests arrive twice, or after their timeout. */
		REPEATED,
		/** The server loses its data. */
		FORGETFUL,
		/** All faults occur. */
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

	/** Searches the nearest states, and returns the first fault. */
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
					next.dropState();
					open.add(next);
				}
			}
		}
		String what = "%s: %d states%s".formatted(first.setting(), seen.size(), open.isEmpty() ? ", all" : "");
		return new Search(report(what, start, wrong), seen.size());
	}

	/** Follows random paths, and returns the first fault. */
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
			int length = random.nextInt(5, MAX_WALK_STEPS);
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
	 * Result of a search.
	 *
	 * @param fault the first fault, empty if there is none
	 * @param states the number of visited states
	 */
	private record Search(String fault, int states) {
	}

}
