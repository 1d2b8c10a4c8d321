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

/**
 * Tests of {@link ReportExchange}.
 */
class ReportExchangeTests {

	private final AtomicLong nanoTime = new AtomicLong(-5);

	private final Network network = new Network();

	private final Map<String, Reports> reports = new HashMap<>();

	private final ReportExchange north = join("north");

	@Test
	void knowsEveryInstanceThatReplies() {
		join("south");
		join("east");
		assertThat(names(this.north.roster())).as("before a page is open").containsExactly("north");
		publish();
		Roster roster = this.north.roster();
		assertThat(names(roster)).containsExactly("north", "east", "south");
		assertThat(roster.subscribed()).isTrue();
		assertThat(roster.own().report().instance()).isEqualTo("north");
		assertThat(roster.members().get(2).report().holds()).extracting(InstanceReport.Hold::name)
			.containsExactly("lock of south");
	}

	@Test
	void sendsNothingWhileNoPageIsOpen() {
		join("south");
		pass(Duration.ofHours(1));
		this.network.deliver();
		assertThat(this.network.sent).isZero();
	}

	/** The instances with open pages broadcast their reports, so they need no replies. */
	@Test
	void sendsOneMessagePerInstanceWithOpenPage() {
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
	void detectsUnresponsiveInstanceWithinThreeSecondsAndItsReturn() {
		join("south");
		publish();
		assertThat(unresponsive()).isEmpty();
		this.network.frozen = "south";
		pass(Duration.ofSeconds(2));
		publish();
		assertThat(unresponsive()).as("may still reply").isEmpty();
		pass(Duration.ofSeconds(1));
		assertThat(unresponsive()).containsExactly("south");
		this.network.frozen = null;
		pass(Duration.ofSeconds(1));
		publish();
		assertThat(unresponsive()).isEmpty();
	}

	/** This instance may have been suspended itself. */
	@Test
	void expectsNoReplyWithoutBroadcast() {
		join("south");
		publish();
		pass(Duration.ofSeconds(9));
		assertThat(unresponsive()).isEmpty();
		this.network.frozen = "south";
		publish();
		assertThat(unresponsive()).as("may still reply").isEmpty();
		pass(Duration.ofSeconds(1));
		assertThat(unresponsive()).containsExactly("south");
	}

	@Test
	void expectsNoReplyWhileNotSubscribed() {
		join("south");
		publish();
		this.network.failure = new LockBackendException(LockBackendException.NO_LOCK,
				LockBackendException.Reason.NOT_AUTHORIZED, "NOPERM channels", null);
		for (int i = 0; i < 20; i++) {
			pass(Duration.ofSeconds(2));
			publish();
			assertThat(unresponsive()).isEmpty();
		}
		assertThat(this.north.roster().subscribed()).isFalse();
		assertThat(this.north.roster().refusal()).isEqualTo("NOPERM channels");
		this.network.failure = null;
		publish();
		assertThat(this.north.roster().subscribed()).isTrue();
		assertThat(this.north.roster().refusal()).isNull();
	}

	@Test
	void expectsNoReplyWhileBackendDoesNotReply() {
		join("south");
		publish();
		this.network.stuck = true;
		for (int i = 0; i < 20; i++) {
			pass(Duration.ofSeconds(2));
			publish();
		}
		assertThat(unresponsive()).isEmpty();
		assertThat(this.north.roster().subscribed()).isFalse();
	}

	@Test
	void dropsReportsFromBeforeAPause() {
		join("south");
		publish();
		assertThat(names(this.north.roster())).contains("south");
		this.network.frozen = "south";
		pass(Duration.ofSeconds(10));
		publish();
		assertThat(names(this.north.roster())).containsExactly("north");
	}

	@Test
	void removesInstanceAfterFiveMinutesWithoutReply() {
		join("south");
		publish();
		this.network.frozen = "south";
		for (int i = 0; i < 145; i++) {
			pass(Duration.ofSeconds(2));
			publish();
		}
		assertThat(names(this.north.roster())).containsExactly("north", "south");
		for (int i = 0; i < 10; i++) {
			pass(Duration.ofSeconds(2));
			publish();
		}
		assertThat(names(this.north.roster())).containsExactly("north");
	}

	@Test
	void removesInstanceThatLeavesButKeepsItsIncidents() {
		ReportExchange south = join("south");
		this.reports.get("south").lost("order:42", 5);
		publish();
		assertThat(names(this.north.roster())).containsExactly("north", "south");
		south.leave().join();
		this.network.deliver();
		assertThat(names(this.north.roster())).containsExactly("north");
		pass(Duration.ofSeconds(2));
		publish();
		assertThat(names(this.north.roster())).as("no longer replies").containsExactly("north");
		assertThat(this.north.roster().departed()).singleElement()
			.satisfies((gone) -> assertThat(gone.instance()).isEqualTo("south"))
			.satisfies((gone) -> assertThat(gone.incidents()).extracting(InstanceReport.Incident::name)
				.containsExactly("order:42"))
			.satisfies((gone) -> assertThat(gone.at()).isEqualTo(Duration.ofSeconds(2).toNanos()));
		south.open();
		pass(Duration.ofSeconds(2));
		publish();
		assertThat(names(this.north.roster())).containsExactly("north", "south");
	}

	@Test
	void countsLostLocksOnAllInstances() {
		ReportExchange south = join("south");
		this.reports.get("south").lost("order:42", 5).incident(IncidentRecorder.Kind.TIMED_OUT, "order:43", 5);
		publish();
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
	void showsIncidentsOfReturningInstanceOnce() {
		join("south");
		this.reports.get("south").lost("order:42", 5);
		publish();
		this.network.frozen = "south";
		for (int i = 0; i < 155; i++) {
			pass(Duration.ofSeconds(2));
			publish();
		}
		assertThat(names(this.north.roster())).containsExactly("north");
		assertThat(this.north.roster().incidents()).hasSize(1);
		this.network.frozen = null;
		pass(Duration.ofSeconds(2));
		publish();
		assertThat(names(this.north.roster())).containsExactly("north", "south");
		assertThat(this.north.roster().incidents()).hasSize(1);
		assertThat(this.north.roster().lost()).isEqualTo(1);
	}

	@Test
	void leavesWithoutMessageIfNoPageWasOpenRecently() {
		ReportExchange south = join("south");
		publish();
		pass(Duration.ofSeconds(10));
		int before = this.network.sent;
		south.leave().join();
		assertThat(this.network.sent).isEqualTo(before);
	}

	@Test
	void leavesEvenIfMessageCannotBeSent() {
		ReportExchange south = join("south");
		publish();
		this.network.failure = new LockBackendException(LockBackendException.NO_LOCK,
				LockBackendException.Reason.UNREACHABLE, "there is no Redis", null);
		int before = this.network.sent;
		assertThat(south.leave()).succeedsWithin(Duration.ZERO);
		assertThat(this.network.sent).as("attempted message").isEqualTo(before + 1);
	}

	/** In a quorum, each server delivers a message once. */
	@Test
	void ignoresRepeatedAndLateReports() {
		this.north.publish(true, null);
		String later = ReportText.of(Reports.of("south").holds("later", "a", 1).report().sent(8, false, null));
		String earlier = ReportText.of(Reports.of("south").report().sent(7, false, null));
		List.of(later, later, earlier).forEach((text) -> this.network.send("north", "report " + text));
		this.network.deliver();
		assertThat(this.north.roster().members().get(1).report().holds()).extracting(InstanceReport.Hold::name)
			.containsExactly("later");
	}

	@Test
	void ignoresUnknownMessages() {
		this.north.publish(true, null);
		List.of("report", "report ", "report {}", "report AAAA", "left nobody", "something else")
			.forEach((text) -> this.network.send("north", text));
		this.network.deliver();
		assertThat(names(this.north.roster())).containsExactly("north");
	}

	private void publish() {
		this.north.publish(true, null);
		this.network.deliver();
	}

	private void pass(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

	private static List<String> names(Roster roster) {
		return roster.members().stream().map((member) -> member.report().instance()).toList();
	}

	private List<String> unresponsive() {
		return this.north.roster()
			.members()
			.stream()
			.filter(Member::unresponsive)
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
