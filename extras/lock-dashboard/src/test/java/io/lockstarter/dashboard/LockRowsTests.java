package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.dashboard.ClusterWatch.Snapshot;
import io.lockstarter.dashboard.Inspection.InspectedHolder;
import io.lockstarter.dashboard.Inspection.InspectedLock;
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

/**
 * Tests of {@link LockRows} and {@link Problems}.
 */
class LockRowsTests {

	private static final Limits LIMITS = Limits.of(null, null);

	private static final Inspection NOTHING = inspection(100);

	/**
	 * A hand-over increases the token, so the backend has another token than the holder.
	 */
	@Test
	void prefersReportOfHolderToBackend() {
		Member own = Reports.of("north").own();
		Member south = Reports.of("south").holds("order:42", "second", 1).waits("order:42", 1, 1).received(1500);
		LockRow row = row(own, inspection(100, inspected("order:42", 1, holder("south", 81_000))), south);
		assertThat(row.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.thread()).isEqualTo("second"))
			.satisfies((holder) -> assertThat(holder.heldMillis()).isEqualTo(2500));
		assertThat(row.requests()).isEqualTo(1);
		assertThat(row.problems()).isEmpty();
	}

	@Test
	void showsNoThreadOfInstanceThatOnlyBackendKnows() {
		LockRow row = row(Reports.of("north").own(),
				inspection(200, inspected("order:42", 2, holder("quiet", 81_000))));
		assertThat(row.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.instance()).isEqualTo("quiet"))
			.satisfies((holder) -> assertThat(holder.thread()).isNull())
			.satisfies((holder) -> assertThat(holder.heldMillis()).isEqualTo(81_200));
		assertThat(row.requests()).isEqualTo(2);
	}

	@Test
	void showsLockThatWasAcquiredAfterReportOfItsHolder() {
		Member south = Reports.of("south").received(1500);
		assertThat(rows(Reports.of("north").own(), inspection(100, inspected("new", 0, holder("south", 900))), south))
			.extracting(LockRow::name)
			.containsExactly("new");
		assertThat(rows(Reports.of("north").own(), inspection(100, inspected("old", 0, holder("south", 9000))), south))
			.as("released according to the report of its holder")
			.isEmpty();
	}

	@Test
	void showsUnconfirmedReleaseWhileRequestsWait() {
		Member south = Reports.of("south").received(1000);
		Member own = Reports.of("north").waits("order:42", 1, 3).own();
		assertThat(row(own, inspection(100, inspected("order:42", 1, holder("south", 9000))), south).holders())
			.singleElement()
			.extracting(LockRow.Holder::state)
			.isEqualTo(HolderState.RELEASE_UNCONFIRMED);
	}

	/** The reports are from different times. */
	@ParameterizedTest
	@CsvSource({ "reentrant, 1", "write, 1", "fair, 1" })
	void showsLatestHolderOfLockAfterHandOver(String type, int permits) {
		Member own = Reports.of("north").holds("order:42", "new", 1, type, permits).own();
		Member south = Reports.of("south").holds("order:42", "old", 60, type, permits).received(1900);
		LockRow row = row(own, NOTHING, south);
		assertThat(row.holders()).extracting(LockRow.Holder::thread).containsExactly("new");
		assertThat(row.problems()).isEmpty();
	}

	@Test
	void showsLatestHolderAfterChangeBetweenReadersAndWriter() {
		Member south = Reports.of("south")
			.holds("a", "old", 60, "read", 1)
			.holds("b", "old", 60, "write", 1)
			.received(1900);
		Member own = Reports.of("north").holds("a", "new", 1, "write", 1).holds("b", "new", 1, "read", 1).own();
		assertThat(rows(own, NOTHING, south))
			.allSatisfy((row) -> assertThat(row.holders()).extracting(LockRow.Holder::thread).containsExactly("new"));
	}

	@Test
	void detectsLockThatTwoInstancesHold() {
		Member own = Reports.of("north").holds("order:42", "new", 10).own();
		Member south = Reports.of("south").holds("order:42", "old", 60).received(1900);
		assertThat(row(own, NOTHING, south).problems()).singleElement()
			.satisfies((problem) -> assertThat(problem.kind()).isEqualTo(Kind.HELD_TWICE))
			.satisfies((problem) -> assertThat(problem.level()).isEqualTo(Level.BAD));
	}

	@Test
	void allowsSeveralReadersAndPermitHolders() {
		Member own = Reports.of("north")
			.holds("catalog", "one", 10, "read", 1)
			.holds("catalog", "two", 20, "read", 1)
			.holds("render", "one", 10, "reentrant", 4)
			.own();
		Member south = Reports.of("south")
			.holds("catalog", "three", 30, "read", 1)
			.holds("render", "two", 10, "reentrant", 4)
			.received(1900);
		assertThat(rows(own, NOTHING, south))
			.extracting((row) -> row.holders().size(), LockRow::isRead, LockRow::permits, LockRow::problems)
			.containsExactly(tuple(3, true, 1, List.of()), tuple(2, false, 4, List.of()));
	}

	/** Permits of an instance may have other tokens than those that the backend knows. */
	@Test
	void showsAtMostAsManyHoldersAsPermits() {
		Reports north = Reports.of("north");
		Reports south = Reports.of("south");
		for (int i = 0; i < 3; i++) {
			north.holds("render", "north-" + i, 1, "reentrant", 4);
			south.holds("render", "south-" + i, 30, "reentrant", 4);
		}
		Inspection inspection = inspection(100, inspected("render", 0, holder("north", 60_000), holder("north", 60_000),
				holder("south", 60_000), holder("south", 60_000)));
		LockRow row = row(north.own(), inspection, south.received(1900));
		assertThat(row.holders()).hasSize(4);
		assertThat(row.holders()).filteredOn((holder) -> holder.instance().equals("north")).hasSize(3);
	}

	@Test
	void countsWaitingRequestsOnInstanceOfHolder() {
		Member south = Reports.of("south").holds("order:42", "holder", 5).waits("order:42", 7, 4).received(1000);
		LockRow row = row(Reports.of("north").waits("order:42", 2, 3).own(), NOTHING, south);
		assertThat(row.requests()).isEqualTo(9);
		assertThat(row.instances()).isEqualTo(2);
		assertThat(row.longestWaitMillis()).isEqualTo(5000);
		assertThat(row.waits()).extracting(LockRow.InstanceWait::instance).containsExactly("south", "north");
	}

	@Test
	void addsRequestsThatOnlyBackendKnows() {
		LockRow row = row(Reports.of("north").waits("order:42", 2, 3).own(),
				inspection(100, inspected("order:42", 5, holder("quiet", 9000))));
		assertThat(row.requests()).isEqualTo(5);
		assertThat(row.waits()).extracting(LockRow.InstanceWait::instance).containsExactly("north", null);
	}

	@Test
	void showsHoldsOfUnresponsiveInstanceThatBackendHas() {
		Member unresponsive = Reports.of("south")
			.holds("a", "worker", 9)
			.holds("b", "worker", 9)
			.waits("c", 3, 9)
			.unresponsive(4000);
		LockRow row = row(Reports.of("north").own(), inspection(100, inspected("a", 0, holder("south", 12_000))),
				unresponsive);
		assertThat(row.name()).isEqualTo("a");
		assertThat(row.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.thread()).isEqualTo("worker"))
			.satisfies((holder) -> assertThat(holder.isUnresponsive()).isTrue());
		assertThat(row.problems()).extracting(LockRow.LockProblem::kind).containsExactly(Kind.UNRESPONSIVE);
	}

	/** The lock does not disappear before the backend has been inspected. */
	@Test
	void showsHoldsOfUnresponsiveInstanceUntilInspection() {
		Member unresponsive = Reports.of("south").holds("a", "worker", 9).unresponsive(3000);
		LockRow row = row(Reports.of("north").own(), inspection(900), unresponsive);
		assertThat(row.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.thread()).isEqualTo("worker"))
			.satisfies((holder) -> assertThat(holder.isUnresponsive()).isTrue())
			.satisfies((holder) -> assertThat(holder.renewal()).isNull())
			.satisfies((holder) -> assertThat(holder.leaseMillis()).isEqualTo(17_000));
	}

	@Test
	void showsLastReportsWhileBackendDoesNotReply() {
		Member south = Reports.of("south").holds("a", "worker", 9).waits("a", 3, 9).received(30_000);
		Snapshot snapshot = new Snapshot(
				new Roster(List.of(Reports.of("north").own(), south), List.of(), false, false, null), NOTHING, 5000L);
		assertThat(LockRows.of(snapshot, LIMITS)).singleElement()
			.satisfies((row) -> assertThat(row.requests()).isEqualTo(3))
			.satisfies((row) -> assertThat(row.longestWaitMillis()).as("duration in the last report").isEqualTo(9000))
			.satisfies((row) -> assertThat(row.holders()).singleElement()
				.satisfies((holder) -> assertThat(holder.state()).isEqualTo(HolderState.OUTDATED))
				.satisfies((holder) -> assertThat(holder.heldMillis()).isEqualTo(9000)));
	}

	/** The page is never green while a lock is stuck. */
	@ParameterizedTest
	@CsvSource({ "59, 0, GOOD", "299, 0, GOOD", "300, 0, WARNING", "7200, 0, WARNING", "59, 9, GOOD", "60, 9, WARNING",
			"360, 9, BAD", "5, 10, WARNING", "5, 60, BAD" })
	void detectsUnusuallyLongHoldsAndWaits(long held, long waited, Level level) {
		Reports own = Reports.of("north").holds("order:42", "worker", held);
		if (waited > 0) {
			own.waits("order:42", 1, waited);
		}
		assertThat(row(own.own(), NOTHING).level()).isEqualTo(level);
	}

	@Test
	void appliesLimitsOfApplication() {
		Snapshot snapshot = snapshot(Reports.of("north").holds("a", "worker", 3).own(), NOTHING);
		assertThat(LockRows.of(snapshot, Limits.of(null, Duration.ofSeconds(2)))).singleElement()
			.extracting(LockRow::level)
			.isEqualTo(Level.WARNING);
	}

	@ParameterizedTest
	@CsvSource({ "failing", "stopped" })
	void detectsLeaseThatIsNotRenewed(String renewal) {
		assertThat(row(Reports.of("north").holds("a", "worker", 3, "reentrant", 1, renewal).own(), NOTHING).problems())
			.extracting(LockRow.LockProblem::kind)
			.containsExactly(Kind.NOT_RENEWED);
	}

	@Test
	void showsLostLocksOfAllInstancesForFiveMinutes() {
		Member south = Reports.of("south").lost("recent", 10).lost("old", 299).received(2000);
		assertThat(rows(Reports.of("north").own(), NOTHING, south)).singleElement()
			.satisfies((row) -> assertThat(row.name()).isEqualTo("recent"))
			.satisfies((row) -> assertThat(row.problems()).extracting(LockRow.LockProblem::text)
				.containsExactly("Lost 12 s ago"));
	}

	/**
	 * A force-release is a decision, and a refusal has prevented damage.
	 */
	@ParameterizedTest
	@CsvSource({ "LOST_FORCE_RELEASED, force-released", "FENCE_REFUSED, refused by the database" })
	void showsForcedReleasesAndRefusalsAsWarnings(IncidentRecorder.Kind kind, String words) {
		Snapshot snapshot = snapshot(Reports.of("north").incident(kind, "order:42", 3).own(), NOTHING);
		assertThat(LockRows.of(snapshot, LIMITS)).singleElement()
			.satisfies((row) -> assertThat(row.level()).isEqualTo(Level.WARNING))
			.satisfies((row) -> assertThat(row.problems()).singleElement()
				.extracting(LockRow.LockProblem::text)
				.asString()
				.isEqualToIgnoringCase(words + " 3 s ago"));
		assertThat(problems(snapshot)).containsExactly("WARNING 1 lock was %s in the last 5 minutes".formatted(words));
	}

	@Test
	void summarisesStateOfBackend() {
		Snapshot unresponsive = new Snapshot(
				new Roster(List.of(Reports.of("north").own()), List.of(), false, false, null), NOTHING, 5000L);
		assertThat(problems(unresponsive)).containsExactly("BAD Redis does not reply");
		assertThat(problems(snapshot(Reports.of("north").own(),
				new Inspection(0, null, "OOM command not allowed", null, null, List.of()))))
			.containsExactly("BAD Redis refuses writes");
		Snapshot unsubscribed = new Snapshot(
				new Roster(List.of(Reports.of("north").own()), List.of(), false, true, "NOPERM"), NOTHING, null);
		assertThat(problems(unsubscribed)).containsExactly("WARNING Waiting is slower: Redis delivers no messages");
		assertThat(problems(snapshot(Reports.of("north").own(), NOTHING))).isEmpty();
	}

	@Test
	void summarisesProblemsWithoutNamesOfLocks() {
		Member own = Reports.of("north")
			.holds("patient:smith", "worker", 400)
			.waits("patient:smith", 1, 3)
			.lost("patient:jones", 3)
			.own();
		Snapshot snapshot = snapshot(own, NOTHING, Reports.of("south").unresponsive(4000));
		List<Problem> problems = Problems.of(snapshot, LockRows.of(snapshot, LIMITS));
		assertThat(problems).extracting(Problem::title)
			.containsExactly("1 lock was lost in the last 5 minutes", "1 lock is held unusually long",
					"south does not reply");
		assertThat(problems.toString()).doesNotContain("patient");
	}

	@Test
	void sortsByProblemAndThenByWaitingRequests() {
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

	private static List<String> problems(Snapshot snapshot) {
		return Problems.of(snapshot, LockRows.of(snapshot, LIMITS))
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
		return LockRows.of(snapshot(own, inspection, others), LIMITS);
	}

	private static Snapshot snapshot(Member own, @Nullable Inspection inspection, Member... others) {
		List<Member> members = new ArrayList<>(List.of(own));
		members.addAll(List.of(others));
		return new Snapshot(new Roster(members, List.of(), true, false, null), inspection, null);
	}

	private static Inspection inspection(long age, InspectedLock... locks) {
		return new Inspection(age, null, null, null, null, List.of(locks));
	}

	private static InspectedLock inspected(String name, int requests, InspectedHolder... holders) {
		return new InspectedLock(name, 0, List.of(holders), requests, Math.min(requests, 1));
	}

	private static InspectedHolder holder(String instance, long heldMillis) {
		return new InspectedHolder(instance, "3", 1, heldMillis, 20_000);
	}

}
