package io.lockstarter.adapter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.contract.Settings;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Spring Integration elects a leader by our locks.
 */
class IntegrationLeaderTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

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
		await().pollDelay(LEASE.multipliedBy(11).dividedBy(10)).until(() -> true);
		assertThat(first.getContext().isLeader()).isTrue();
		assertThat(second.getContext().isLeader()).isFalse();
		first.stop();
		await().until(() -> second.getContext().isLeader());
		assertThat(first.getContext().isLeader()).isFalse();
	}

	@Test
	void revokesTheLeadOfOneWhoLostItsLock() {
		Duration shortest = Duration.ofMillis(500);
		DefaultLockRegistry limited = this.instances.open(Settings.of("limited", LEASE, shortest, shortest, false));
		List<String> told = new CopyOnWriteArrayList<>();
		candidate(new DefaultCandidate("first", "role") {

			@Override
			public void onGranted(Context context) {
				told.add("granted");
			}

			@Override
			public void onRevoked(Context context) {
				told.add("revoked");
			}

		}, limited);
		await().untilAsserted(() -> assertThat(told).startsWith("granted", "revoked", "granted"));
	}

	private LockRegistryLeaderInitiator candidate(String id, DefaultLockRegistry registry) {
		return candidate(new DefaultCandidate(id, "role"), registry);
	}

	private LockRegistryLeaderInitiator candidate(Candidate candidate, DefaultLockRegistry registry) {
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
				new IntegrationLockRegistry(registry, "leaders", LEASE), candidate);
		initiator.setHeartBeatMillis(HEARTBEAT.toMillis());
		initiator.setBusyWaitMillis(HEARTBEAT.toMillis());
		this.initiators.add(initiator);
		initiator.start();
		return initiator;
	}

}
