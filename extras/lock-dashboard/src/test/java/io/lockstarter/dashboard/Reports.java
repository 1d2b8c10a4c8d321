package io.lockstarter.dashboard;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.dashboard.InstanceReport.Hold;
import io.lockstarter.dashboard.InstanceReport.Incident;
import io.lockstarter.dashboard.InstanceReport.Wait;
import io.lockstarter.dashboard.InstanceReport.Waiter;
import io.lockstarter.dashboard.ReportExchange.Member;

/**
 * Builder of reports for tests.
 */
final class Reports {

	private final String instance;

	private final List<Hold> holds = new ArrayList<>();

	private final List<Wait> waits = new ArrayList<>();

	private final List<Incident> incidents = new ArrayList<>();

	private Reports(String instance) {
		this.instance = instance;
	}

	static Reports of(String instance) {
		return new Reports(instance);
	}

	Reports holds(String name, String thread, long seconds) {
		return holds(name, thread, seconds, "reentrant", 1);
	}

	Reports holds(String name, String thread, long seconds, String type, int permits) {
		return holds(name, thread, seconds, type, permits, "renewing");
	}

	Reports holds(String name, String thread, long seconds, String type, int permits, String renewal) {
		this.holds.add(new Hold(name, "metricName", type, permits, thread, 1, "7", seconds * 1000, 20_000, renewal));
		return this;
	}

	Reports waits(String name, int requests, long seconds) {
		this.waits.add(new Wait(name, "metricName", "reentrant", 1, requests,
				List.of(new Waiter(this.instance + "-waiter", seconds * 1000))));
		return this;
	}

	Reports lost(String name, long secondsAgo) {
		return incident(IncidentRecorder.Kind.LOST_LEASE_EXPIRED, name, secondsAgo);
	}

	Reports incident(IncidentRecorder.Kind kind, String name, long secondsAgo) {
		this.incidents.add(new Incident(secondsAgo * 1000, kind.name(), name, "metricName", "worker", 3000L));
		return this;
	}

	InstanceReport report() {
		return new InstanceReport("id of " + this.instance, this.instance, 1, this.instance, "1.2.3", 60_000, false,
				this.holds.size(), this.waits.stream().mapToInt(Wait::requests).sum(), 0, 0, 0,
				this.incidents.stream().filter(Incident::isLoss).count(), true, this.holds, this.waits, this.incidents,
				null);
	}

	Member own() {
		return new Member(report(), true, 0, false);
	}

	Member received(long millisAgo) {
		return new Member(report(), false, millisAgo, false);
	}

	Member unresponsive(long millisAgo) {
		return new Member(report(), false, millisAgo, true);
	}

}
