package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.dashboard.ReportExchange.Member;
import io.lockstarter.dashboard.ReportExchange.Roster;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReportExchangeTests {

	private final AtomicLong nanoTime = new AtomicLong(-5);

	private final Network network = new Network();

	private final Map<String, Reports> reports = new HashMap<>();

	private final ReportExchange north = join("north");

	@Test
	void hearsOfEveryInstanceThatReplies() {
		join("south");
		join("east");
		assertThat(names(this.north.roster())).as("before anybody looks").containsExactly("north");
		look();
		Roster roster = this.north.roster();
		assertThat(names(roster)).containsExactly("north", "east", "south");
		assertThat(roster.hears()).isTrue();
		assertThat(roster.own().report().instance()).isEqualTo("north");
		assertThat(roster.members().get(2).report().holds()).extracting(InstanceReport.Hold::name)
			.containsExactly("lock of south");
	}

	@Test
	void sendsNothingWhileNobodyLooks() {
		join("south");
		pass(Duration.ofHours(1));
		this.network.deliver();
		assertThat(this.network.sent).isZero();
	}

	/** Reports of those that are looked at reach all. */
	@Test
	void sendsOneMessageForEachInstanceThatIsLookedAt() {
		ReportExchange south = join("south");
		ReportExchange east = join("east");
		for (int i = 0; i < 30; i++) {
			for (ReportExchange watching : List.of(this.north, south, east)) {
				watching.publish(true, null);
				this.network.deliver();
				pass(Duration.ofMillis(600));
			}
		}
		assertThat(this.network.sent).isLessThanOrEqualTo(90 + 4);
		assertThat(names(east.roster())).containsExactly("east", "north", "south");
	}

	@Test
	void tellsWhoFallsSilentWithinThreeSecondsAndWhoSpeaksAgain() {
		join("south");
		look();
		assertThat(silent()).isEmpty();
		this.network.frozen = "south";
		pass(Duration.ofSeconds(2));
		look();
		assertThat(silent()).as("may still reply").isEmpty();
		pass(Duration.ofSeconds(1));
		assertThat(silent()).containsExactly("south");
		this.network.frozen = null;
		pass(Duration.ofSeconds(1));
		look();
		assertThat(silent()).isEmpty();
	}

	/** Also on an instance that has stood still itself. */
	@Test
	void callsNobodySilentWhoWasNotAsked() {
		join("south");
		look();
		pass(Duration.ofSeconds(9));
		assertThat(silent()).isEmpty();
		this.network.frozen = "south";
		look();
		assertThat(silent()).as("may still reply").isEmpty();
		pass(Duration.ofSeconds(1));
		assertThat(silent()).containsExactly("south");
	}

	@Test
	void callsNobodySilentWhileItHearsNothingItself() {
		join("south");
		look();
		this.network.failure = new LockBackendException(LockBackendException.NO_LOCK,
				LockBackendException.Reason.NOT_AUTHORIZED, "NOPERM channels", null);
		for (int i = 0; i < 20; i++) {
			pass(Duration.ofSeconds(2));
			look();
			assertThat(silent()).isEmpty();
		}
		assertThat(this.north.roster().hears()).isFalse();
		assertThat(this.north.roster().refusal()).isEqualTo("NOPERM channels");
		this.network.failure = null;
		look();
		assertThat(this.north.roster().hears()).isTrue();
		assertThat(this.north.roster().refusal()).isNull();
	}

	@Test
	void callsNobodySilentWhileTheBackendDoesNotAnswer() {
		join("south");
		look();
		this.network.stuck = true;
		for (int i = 0; i < 20; i++) {
			pass(Duration.ofSeconds(2));
			look();
		}
		assertThat(silent()).isEmpty();
		assertThat(this.north.roster().hears()).isFalse();
	}

	@Test
	void forgetsWhomItHeardBeforeNobodyLooked() {
		join("south");
		look();
		assertThat(names(this.north.roster())).contains("south");
		this.network.frozen = "south";
		pass(Duration.ofSeconds(10));
		look();
		assertThat(names(this.north.roster())).containsExactly("north");
	}

	@Test
	void forgetsWhoHasBeenSilentForLong() {
		join("south");
		look();
		this.network.frozen = "south";
		for (int i = 0; i < 145; i++) {
			pass(Duration.ofSeconds(2));
			look();
		}
		assertThat(names(this.north.roster())).containsExactly("north", "south");
		for (int i = 0; i < 10; i++) {
			pass(Duration.ofSeconds(2));
			look();
		}
		assertThat(names(this.north.roster())).containsExactly("north");
	}

	@Test
	void forgetsWhoHasLeftInOrderButNotWhatWentWrongThere() {
		ReportExchange south = join("south");
		this.reports.get("south").lost("order:42", 5);
		look();
		assertThat(names(this.north.roster())).containsExactly("north", "south");
		south.leave().join();
		this.network.deliver();
		assertThat(names(this.north.roster())).containsExactly("north");
		pass(Duration.ofSeconds(2));
		look();
		assertThat(names(this.north.roster())).as("replies no more").containsExactly("north");
		assertThat(this.north.roster().departed()).singleElement()
			.satisfies((gone) -> assertThat(gone.instance()).isEqualTo("south"))
			.satisfies((gone) -> assertThat(gone.incidents()).extracting(InstanceReport.Incident::name)
				.containsExactly("order:42"))
			.satisfies((gone) -> assertThat(gone.at()).isEqualTo(Duration.ofSeconds(2).toNanos()));
		south.open();
		pass(Duration.ofSeconds(2));
		look();
		assertThat(names(this.north.roster())).containsExactly("north", "south");
	}

	@Test
	void countsLocksThatWereLostWhereverTheirHoldersAre() {
		ReportExchange south = join("south");
		this.reports.get("south").lost("order:42", 5).incident(Troubles.Kind.TIMED_OUT, "order:43", 5);
		look();
		assertThat(this.north.roster().lost()).isEqualTo(1);
		south.leave().join();
		this.network.deliver();
		assertThat(names(this.north.roster())).containsExactly("north");
		assertThat(this.north.roster().lost()).as("after it has left").isEqualTo(1);
		assertThat(this.north.roster().incidents()).hasSize(2);
		pass(Duration.ofMinutes(59));
		assertThat(this.north.roster().lost()).isEqualTo(1);
		pass(Duration.ofSeconds(56));
		assertThat(this.north.roster().lost()).as("after an hour").isZero();
		assertThat(this.north.roster().incidents()).isEmpty();
	}

	@Test
	void tellsOnceWhatWentWrongOnAnInstanceThatComesBack() {
		join("south");
		this.reports.get("south").lost("order:42", 5);
		look();
		this.network.frozen = "south";
		for (int i = 0; i < 155; i++) {
			pass(Duration.ofSeconds(2));
			look();
		}
		assertThat(names(this.north.roster())).containsExactly("north");
		assertThat(this.north.roster().incidents()).hasSize(1);
		this.network.frozen = null;
		pass(Duration.ofSeconds(2));
		look();
		assertThat(names(this.north.roster())).containsExactly("north", "south");
		assertThat(this.north.roster().incidents()).hasSize(1);
		assertThat(this.north.roster().lost()).isEqualTo(1);
	}

	@Test
	void leavesWithoutAWordWhenNobodyHasLookedLately() {
		ReportExchange south = join("south");
		look();
		pass(Duration.ofSeconds(10));
		int before = this.network.sent;
		south.leave().join();
		assertThat(this.network.sent).isEqualTo(before);
	}

	@Test
	void leavesThoughNobodyCanBeTold() {
		ReportExchange south = join("south");
		look();
		this.network.failure = new LockBackendException(LockBackendException.NO_LOCK,
				LockBackendException.Reason.UNREACHABLE, "there is no Redis", null);
		int before = this.network.sent;
		assertThat(south.leave()).succeedsWithin(Duration.ZERO);
		assertThat(this.network.sent).as("tried").isEqualTo(before + 1);
	}

	/** In a quorum each server passes a message on. */
	@Test
	void takesReportsThatComeTwiceOrLateForOld() {
		this.north.publish(true, null);
		String later = ReportText.of(Reports.of("south").holds("later", "a", 1).report().sent(8, false, null));
		String earlier = ReportText.of(Reports.of("south").report().sent(7, false, null));
		List.of(later, later, earlier).forEach((text) -> this.network.send("north", "report " + text));
		this.network.deliver();
		assertThat(this.north.roster().members().get(1).report().holds()).extracting(InstanceReport.Hold::name)
			.containsExactly("later");
	}

	@Test
	void passesOverWhatItDoesNotUnderstand() {
		this.north.publish(true, null);
		List.of("report", "report ", "report {}", "report AAAA", "left nobody", "something else")
			.forEach((text) -> this.network.send("north", text));
		this.network.deliver();
		assertThat(names(this.north.roster())).containsExactly("north");
	}

	private void look() {
		this.north.publish(true, null);
		this.network.deliver();
	}

	private void pass(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

	private static List<String> names(Roster roster) {
		return roster.members().stream().map((member) -> member.report().instance()).toList();
	}

	private List<String> silent() {
		return this.north.roster()
			.members()
			.stream()
			.filter(Member::silent)
			.map((member) -> member.report().instance())
			.toList();
	}

	private ReportExchange join(String name) {
		this.reports.put(name, Reports.of(name).holds("lock of " + name, "worker", 3));
		return new ReportExchange("id of " + name, this.network.of(name), () -> this.reports.get(name).report(),
				(report) -> {
				}, Runnable::run, this.nanoTime::get);
	}

}
