package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.dashboard.ClusterWatch.Sight;
import io.lockstarter.dashboard.Inspection.SeenHolder;
import io.lockstarter.dashboard.Inspection.SeenLock;
import io.lockstarter.dashboard.LockRow.HolderState;
import io.lockstarter.dashboard.LockRow.Kind;
import io.lockstarter.dashboard.LockRow.Level;
import io.lockstarter.dashboard.ReportExchange.Member;
import io.lockstarter.dashboard.ReportExchange.Roster;
import io.lockstarter.dashboard.View.RowView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class LockRowsTests {

	private static final Limits LIMITS = Limits.of(null, null);

	private static final Inspection NOTHING = inspection(100);

	/**
	 * A hand-over raises the token, so that the backend has another one than the holder.
	 */
	@Test
	void believesAnInstanceAboutItsOwnHolds() {
		Member own = Reports.of("north").own();
		Member south = Reports.of("south").holds("order:42", "second", 1).waits("order:42", 1, 1).heard(1500);
		LockRow row = row(own, inspection(100, seen("order:42", 1, holder("south", 81_000))), south);
		assertThat(row.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.thread()).isEqualTo("second"))
			.satisfies((holder) -> assertThat(holder.heldMillis()).isEqualTo(2500));
		assertThat(row.requests()).isEqualTo(1);
		assertThat(row.troubles()).isEmpty();
	}

	@Test
	void namesNoThreadOfAnInstanceThatOnlyTheBackendKnows() {
		LockRow row = row(Reports.of("north").own(), inspection(200, seen("order:42", 2, holder("quiet", 81_000))));
		assertThat(row.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.instance()).isEqualTo("quiet"))
			.satisfies((holder) -> assertThat(holder.thread()).isNull())
			.satisfies((holder) -> assertThat(holder.heldMillis()).isEqualTo(81_200));
		assertThat(row.requests()).isEqualTo(2);
	}

	@Test
	void showsALockThatIsTooNewForTheReportOfItsHolder() {
		Member south = Reports.of("south").heard(1500);
		assertThat(rows(Reports.of("north").own(), inspection(100, seen("new", 0, holder("south", 900))), south))
			.extracting(LockRow::name)
			.containsExactly("new");
		assertThat(rows(Reports.of("north").own(), inspection(100, seen("old", 0, holder("south", 9000))), south))
			.as("released, as its holder reports")
			.isEmpty();
	}

	@Test
	void tellsOfALockThatItsHolderHasReleasedAndTheBackendHasNotWhileOthersWait() {
		Member south = Reports.of("south").heard(1000);
		Member own = Reports.of("north").waits("order:42", 1, 3).own();
		assertThat(row(own, inspection(100, seen("order:42", 1, holder("south", 9000))), south).holders())
			.singleElement()
			.extracting(LockRow.Holder::state)
			.isEqualTo(HolderState.UNCLAIMED);
	}

	/** Reports are of different moments. */
	@ParameterizedTest
	@CsvSource({ "reentrant, 1", "write, 1", "fair, 1" })
	void showsOneHolderOfALockThatPassedOn(String type, int permits) {
		Member own = Reports.of("north").holds("order:42", "new", 1, type, permits).own();
		Member south = Reports.of("south").holds("order:42", "old", 60, type, permits).heard(1900);
		LockRow row = row(own, NOTHING, south);
		assertThat(row.holders()).extracting(LockRow.Holder::thread).containsExactly("new");
		assertThat(row.troubles()).isEmpty();
	}

	@Test
	void showsOneHolderOfALockThatPassedFromReadersToAWriterOrBack() {
		Member south = Reports.of("south")
			.holds("a", "old", 60, "read", 1)
			.holds("b", "old", 60, "write", 1)
			.heard(1900);
		Member own = Reports.of("north").holds("a", "new", 1, "write", 1).holds("b", "new", 1, "read", 1).own();
		assertThat(rows(own, NOTHING, south))
			.allSatisfy((row) -> assertThat(row.holders()).extracting(LockRow.Holder::thread).containsExactly("new"));
	}

	@Test
	void tellsOfALockThatTwoInstancesReportToHold() {
		Member own = Reports.of("north").holds("order:42", "new", 10).own();
		Member south = Reports.of("south").holds("order:42", "old", 60).heard(1900);
		assertThat(row(own, NOTHING, south).troubles()).singleElement()
			.satisfies((trouble) -> assertThat(trouble.kind()).isEqualTo(Kind.HELD_TWICE))
			.satisfies((trouble) -> assertThat(trouble.level()).isEqualTo(Level.BAD));
	}

	@Test
	void takesReadersAndPermitsForNoBrokenExclusion() {
		Member own = Reports.of("north")
			.holds("catalog", "one", 10, "read", 1)
			.holds("catalog", "two", 20, "read", 1)
			.holds("render", "one", 10, "reentrant", 4)
			.own();
		Member south = Reports.of("south")
			.holds("catalog", "three", 30, "read", 1)
			.holds("render", "two", 10, "reentrant", 4)
			.heard(1900);
		assertThat(rows(own, NOTHING, south))
			.extracting((row) -> row.holders().size(), LockRow::isRead, LockRow::permits, LockRow::troubles)
			.containsExactly(tuple(3, true, 1, List.of()), tuple(2, false, 4, List.of()));
	}

	/** Of one instance each permit may have another token than the backend knows. */
	@Test
	void showsNeverMorePermitsInUseThanThereAre() {
		Reports north = Reports.of("north");
		Reports south = Reports.of("south");
		for (int i = 0; i < 3; i++) {
			north.holds("render", "north-" + i, 1, "reentrant", 4);
			south.holds("render", "south-" + i, 30, "reentrant", 4);
		}
		Inspection inspection = inspection(100, seen("render", 0, holder("north", 60_000), holder("north", 60_000),
				holder("south", 60_000), holder("south", 60_000)));
		LockRow row = row(north.own(), inspection, south.heard(1900));
		assertThat(row.holders()).hasSize(4);
		assertThat(row.holders()).filteredOn((holder) -> holder.instance().equals("north")).hasSize(3);
	}

	@Test
	void countsRequestsThatWaitOnTheInstanceOfTheHolderToo() {
		Member south = Reports.of("south").holds("order:42", "holder", 5).waits("order:42", 7, 4).heard(1000);
		LockRow row = row(Reports.of("north").waits("order:42", 2, 3).own(), NOTHING, south);
		assertThat(row.requests()).isEqualTo(9);
		assertThat(row.instances()).isEqualTo(2);
		assertThat(row.longestWaitMillis()).isEqualTo(5000);
		assertThat(row.waits()).extracting(LockRow.InstanceWait::instance).containsExactly("south", "north");
	}

	@Test
	void addsRequestsThatOnlyTheBackendKnows() {
		LockRow row = row(Reports.of("north").waits("order:42", 2, 3).own(),
				inspection(100, seen("order:42", 5, holder("quiet", 9000))));
		assertThat(row.requests()).isEqualTo(5);
		assertThat(row.waits()).extracting(LockRow.InstanceWait::instance).containsExactly("north", null);
	}

	@Test
	void showsWhatASilentInstanceHeldAsFarAsTheBackendHasIt() {
		Member silent = Reports.of("south")
			.holds("a", "worker", 9)
			.holds("b", "worker", 9)
			.waits("c", 3, 9)
			.silent(4000);
		LockRow row = row(Reports.of("north").own(), inspection(100, seen("a", 0, holder("south", 12_000))), silent);
		assertThat(row.name()).isEqualTo("a");
		assertThat(row.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.thread()).isEqualTo("worker"))
			.satisfies((holder) -> assertThat(holder.isSilent()).isTrue());
		assertThat(row.troubles()).extracting(LockRow.Trouble::kind).containsExactly(Kind.SILENT);
	}

	/** It does not vanish while nobody has looked whether it is held. */
	@Test
	void showsWhatASilentInstanceHeldUntilThatIsLookedAt() {
		Member silent = Reports.of("south").holds("a", "worker", 9).silent(3000);
		LockRow row = row(Reports.of("north").own(), inspection(900), silent);
		assertThat(row.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.thread()).isEqualTo("worker"))
			.satisfies((holder) -> assertThat(holder.isSilent()).isTrue())
			.satisfies((holder) -> assertThat(holder.renewal()).isNull())
			.satisfies((holder) -> assertThat(holder.leaseMillis()).isEqualTo(17_000));
	}

	@Test
	void showsWhatWasHeardLastWhileTheBackendDoesNotAnswer() {
		Member south = Reports.of("south").holds("a", "worker", 9).waits("a", 3, 9).heard(30_000);
		Sight sight = new Sight(new Roster(List.of(Reports.of("north").own(), south), List.of(), false, false, null),
				NOTHING, 5000L);
		assertThat(LockRows.of(sight, LIMITS)).singleElement()
			.satisfies((row) -> assertThat(row.requests()).isEqualTo(3))
			.satisfies((row) -> assertThat(row.longestWaitMillis()).as("goes on or not").isEqualTo(9000))
			.satisfies((row) -> assertThat(row.holders()).singleElement()
				.satisfies((holder) -> assertThat(holder.state()).isEqualTo(HolderState.OUTDATED))
				.satisfies((holder) -> assertThat(holder.heldMillis()).isEqualTo(9000)));
	}

	/** A lock that hangs is never under a green sign. */
	@ParameterizedTest
	@CsvSource({ "59, 0, GOOD", "299, 0, GOOD", "300, 0, WARNING", "7200, 0, WARNING", "59, 9, GOOD", "60, 9, WARNING",
			"360, 9, BAD", "5, 10, WARNING", "5, 60, BAD" })
	void findsWhatIsUnusuallyLong(long held, long waited, Level level) {
		Reports own = Reports.of("north").holds("order:42", "worker", held);
		if (waited > 0) {
			own.waits("order:42", 1, waited);
		}
		assertThat(row(own.own(), NOTHING).level()).isEqualTo(level);
	}

	@Test
	void goesByTheLimitsOfTheApplication() {
		Sight sight = sight(Reports.of("north").holds("a", "worker", 3).own(), NOTHING);
		assertThat(LockRows.of(sight, Limits.of(null, Duration.ofSeconds(2)))).singleElement()
			.extracting(LockRow::level)
			.isEqualTo(Level.WARNING);
	}

	@ParameterizedTest
	@CsvSource({ "failing", "stopped" })
	void findsALeaseThatIsNotRenewed(String renewal) {
		assertThat(row(Reports.of("north").holds("a", "worker", 3, "reentrant", 1, renewal).own(), NOTHING).troubles())
			.extracting(LockRow.Trouble::kind)
			.containsExactly(Kind.NOT_RENEWED);
	}

	@Test
	void showsLocksThatWereLostOnAnyInstanceForFiveMinutes() {
		Member south = Reports.of("south").lost("recent", 10).lost("old", 299).heard(2000);
		assertThat(rows(Reports.of("north").own(), NOTHING, south)).singleElement()
			.satisfies((row) -> assertThat(row.name()).isEqualTo("recent"))
			.satisfies((row) -> assertThat(row.troubles()).extracting(LockRow.Trouble::text)
				.containsExactly("Lost 12 s ago"));
	}

	/**
	 * Somebody has decided the former; the latter has kept what a loss would have done.
	 */
	@ParameterizedTest
	@CsvSource({ "LOST_FORCE_RELEASED, released by force", "FENCE_REFUSED, refused by the database" })
	void takesForNoLossWhatDidNoHarm(Troubles.Kind kind, String words) {
		Sight sight = sight(Reports.of("north").incident(kind, "order:42", 3).own(), NOTHING);
		assertThat(LockRows.of(sight, LIMITS)).singleElement()
			.satisfies((row) -> assertThat(row.level()).isEqualTo(Level.WARNING))
			.satisfies((row) -> assertThat(row.troubles()).singleElement()
				.extracting(LockRow.Trouble::text)
				.asString()
				.isEqualToIgnoringCase(words + " 3 s ago"));
		assertThat(problems(sight)).containsExactly("WARNING 1 lock was %s in the last 5 minutes".formatted(words));
	}

	@Test
	void summarisesTheBackend() {
		Sight silent = new Sight(new Roster(List.of(Reports.of("north").own()), List.of(), false, false, null), NOTHING,
				5000L);
		assertThat(problems(silent)).containsExactly("BAD Redis does not answer");
		assertThat(problems(sight(Reports.of("north").own(),
				new Inspection(0, null, "OOM command not allowed", null, null, List.of()))))
			.containsExactly("BAD Redis refuses writes");
		Sight deaf = new Sight(new Roster(List.of(Reports.of("north").own()), List.of(), false, true, "NOPERM"),
				NOTHING, null);
		assertThat(problems(deaf)).containsExactly("WARNING Waiting is slower: Redis delivers no messages");
		assertThat(problems(sight(Reports.of("north").own(), NOTHING))).isEmpty();
	}

	@Test
	void summarisesLocksWithoutTheirNames() {
		Member own = Reports.of("north")
			.holds("patient:smith", "worker", 400)
			.waits("patient:smith", 1, 3)
			.lost("patient:jones", 3)
			.own();
		Sight sight = sight(own, NOTHING, Reports.of("south").silent(4000));
		List<Problem> problems = Problems.of(sight, LockRows.of(sight, LIMITS));
		assertThat(problems).extracting(Problem::title)
			.containsExactly("1 lock was lost in the last 5 minutes", "1 lock is held for unusually long",
					"south does not answer");
		assertThat(problems.toString()).doesNotContain("patient");
	}

	@Test
	void showsFirstWhatIsWorstAndKeepsOthersWaiting() {
		Member own = Reports.of("north")
			.holds("a:well", "worker", 3)
			.waits("a:well", 1, 1)
			.holds("b:well", "worker", 3)
			.holds("c:long", "worker", 400)
			.holds("d:awaited", "worker", 70)
			.waits("d:awaited", 2, 12)
			.holds("e:stuck", "worker", 400, "reentrant", 1, "stopped")
			.own();
		assertThat(rows(own, NOTHING).stream()
			.map((row) -> RowView.of(row.name(), row.name(), false, row))
			.sorted(ViewQuery.of((parameter) -> null).order())).extracting(RowView::name)
			.containsExactly("e:stuck", "d:awaited", "c:long", "a:well", "b:well");
	}

	private static List<String> problems(Sight sight) {
		return Problems.of(sight, LockRows.of(sight, LIMITS))
			.stream()
			.map((problem) -> problem.level() + " " + problem.title())
			.toList();
	}

	private static LockRow row(Member own, Inspection inspection, Member... others) {
		List<LockRow> rows = rows(own, inspection, others);
		assertThat(rows).hasSize(1);
		return rows.get(0);
	}

	private static List<LockRow> rows(Member own, @Nullable Inspection inspection, Member... others) {
		return LockRows.of(sight(own, inspection, others), LIMITS);
	}

	private static Sight sight(Member own, @Nullable Inspection inspection, Member... others) {
		List<Member> members = new ArrayList<>(List.of(own));
		members.addAll(List.of(others));
		return new Sight(new Roster(members, List.of(), true, false, null), inspection, null);
	}

	private static Inspection inspection(long age, SeenLock... locks) {
		return new Inspection(age, null, null, null, null, List.of(locks));
	}

	private static SeenLock seen(String name, int requests, SeenHolder... holders) {
		return new SeenLock(name, 0, List.of(holders), requests, Math.min(requests, 1));
	}

	private static SeenHolder holder(String instance, long heldMillis) {
		return new SeenHolder(instance, "3", 1, heldMillis, 20_000);
	}

}
