package io.lockstarter.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.TenureId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Times of renewals, on a backend whose every reply the test gives.
 */
class LeaseWatchdogTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final int LEASES = 100;

	private final ScriptedBackend backend = new ScriptedBackend();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), LEASE, null, false, 64), List.of());

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void spreadsTheRenewalsAfterAnOutage() {
		for (int i = 0; i < LEASES; i++) {
			this.registry.acquireAsync(LockRequest.of("name-" + i));
			this.backend.asked().grant(i + 1);
		}
		Map<TenureId, Integer> renewals = new HashMap<>();
		LongSummaryStatistics third = new LongSummaryStatistics();
		while (third.getCount() < LEASES) {
			ScriptedBackend.Renewal renewal = this.backend.renewed();
			switch (renewals.merge(renewal.command().tenure(), 1, Integer::sum)) {
				case 1 -> renewal.fail(Reason.LOADING);
				case 3 -> {
					third.accept(System.nanoTime());
					renewal.answer(true);
				}
				default -> renewal.answer(true);
			}
		}
		assertThat(Duration.ofNanos(third.getMax() - third.getMin())).as("between a sixth and a third of the lease")
			.isGreaterThan(LEASE.dividedBy(12));
	}

}
