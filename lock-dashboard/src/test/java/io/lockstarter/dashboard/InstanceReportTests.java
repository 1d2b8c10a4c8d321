package io.lockstarter.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class InstanceReportTests {

	private static final Instant NOW = Instant.parse("2026-11-26T18:00:00Z");

	@Test
	void tellsTheLongestWaitsOnly() {
		List<LockMonitor.Waiting> requests = new ArrayList<>(
				IntStream.rangeClosed(1, 200).mapToObj((seconds) -> waiting("order:1000" + seconds, seconds)).toList());
		requests.add(waiting("x".repeat(1000), 300));
		InstanceReport report = report(requests);
		assertThat(report.waits()).hasSize(InstanceReport.MOST_WAITS)
			.startsWith(wait("order:1000200", requests.get(199), 200_000),
					wait("order:1000199", requests.get(198), 199_000));
		assertThat(report.waiting()).as("all of them").isEqualTo(201);
		assertThat(report.longestWaitMillis()).isEqualTo(300_000);
		assertThat(JsonMapper.shared().writeValueAsString(report)).hasSizeLessThan(5_000);
	}

	@Test
	void putsOtherNamesInPlaceOfThoseOfLocks() {
		LockMonitor.Waiting request = waiting("order:42", 1);
		assertThat(report(List.of(request)).named((group, name) -> group + ":hidden").waits())
			.containsExactly(wait("order:hidden", request, 1000));
	}

	private static InstanceReport report(List<LockMonitor.Waiting> requests) {
		LockMonitor monitor = mock();
		given(monitor.instance()).willReturn("north");
		given(monitor.waiting()).willReturn(requests);
		given(monitor.waitingCount()).willReturn(requests.size());
		return InstanceReport.of("id", null, Duration.ofSeconds(1), monitor, NOW, 0);
	}

	private static InstanceReport.Wait wait(String name, LockMonitor.Waiting request, long millis) {
		return new InstanceReport.Wait(name, "order", request.owner().toString(), millis);
	}

	private static LockMonitor.Waiting waiting(String name, int seconds) {
		return new LockMonitor.Waiting(name, "order", LockType.REENTRANT, LockOwner.create("http-" + seconds),
				NOW.minusSeconds(seconds), 1, 1, Duration.ofSeconds(seconds));
	}

}
