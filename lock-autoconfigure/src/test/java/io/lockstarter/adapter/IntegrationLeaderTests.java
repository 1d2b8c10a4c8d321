package io.lockstarter.adapter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Settings;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Spring Integration elects a leader by our locks.
 */
class IntegrationLeaderTests {

	private static final Duration LEASE = Duration.ofMillis(500);

	private static final Duration HEARTBEAT = Duration.ofMillis(50);

	private final Instances instances = Instances.inMemory();

	private final List<LockRegistryLeaderInitiator> initiators = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (LockRegistryLeaderInitiator initiator : this.initiators) {
			initiator.destroy();
		}
		this.instances.close();
	}

	@Test
	void passesTheLeadOnWhenTheLeaderStops() {
		LockRegistryLeaderInitiator first = candidate("first", this.instances.open(LEASE));
		await().until(() -> first.getContext().isLeader());
		LockRegistryLeaderInitiator second = candidate("second", this.instances.open(LEASE));
		await().during(LEASE.multipliedBy(3))
			.atMost(Actor.PATIENCE)
			.until(() -> first.getContext().isLeader() && !second.getContext().isLeader());
		first.stop();
		await().until(() -> second.getContext().isLeader());
		assertThat(first.getContext().isLeader()).isFalse();
	}

	@Test
	void revokesTheLeadOfOneWhoLostItsLock() {
		Duration longest = LEASE.multipliedBy(2);
		DefaultLockRegistry limited = this.instances.open(Settings.of("limited", LEASE, LEASE, longest, false));
		LockRegistryLeaderInitiator first = candidate("first", limited);
		await().until(() -> first.getContext().isLeader());
		await().atMost(Actor.PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> !first.getContext().isLeader());
		await().atMost(Actor.PATIENCE).until(() -> first.getContext().isLeader());
	}

	private LockRegistryLeaderInitiator candidate(String id, DefaultLockRegistry registry) {
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
				new IntegrationLockRegistry(registry, "leaders", LEASE), new DefaultCandidate(id, "role"));
		initiator.setHeartBeatMillis(HEARTBEAT.toMillis());
		initiator.setBusyWaitMillis(HEARTBEAT.toMillis());
		this.initiators.add(initiator);
		initiator.start();
		return initiator;
	}

}
