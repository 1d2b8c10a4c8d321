package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.StressSummary;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Permits under faults: never more holders than permits, everyone who waits gets one, and
 * in the end all of them can be taken at once.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PermitFaultTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofMillis(1500);

	private static final int INSTANCES = 3;

	/** A lock with four permits, of which another JVM has one now and then. */
	private static final LockRequest FOUR = LockRequest.of("a").permits(4);

	/** A lock with two permits that some ask for to be alone. */
	private static final LockRequest TWO = LockRequest.of("two").permits(2);

	private final Random random = new Random(35);

	private final List<TcpProxy> proxies = new ArrayList<>();

	private final List<DefaultLockRegistry> instances = new ArrayList<>();

	private ChildJvm claimant;

	@Test
	void grantsNoMoreThanThereAre() throws Exception {
		grantUnderFaults(10_000, 9);
	}

	@Tag("stress")
	@Test
	void grantsAMillion() throws Exception {
		grantUnderFaults(1_000_000, 90);
		StressSummary.FAULTS_SURVIVED.add(90);
	}

	private void grantUnderFaults(int grants, int faults) throws Exception {
		for (int i = 0; i < INSTANCES; i++) {
			TcpProxy proxy = this.registries.keep(TcpProxy.to(this.redis));
			this.proxies.add(proxy);
			this.instances.add(this.registries.open(proxy.host(), proxy.port(), LEASE));
			Registries.warmUp(this.instances.get(i));
		}
		this.claimant = startClaimant();
		long begin = System.nanoTime();
		try (PermitWorkload four = new PermitWorkload(FOUR, false, 5, this.instances);
				PermitWorkload two = new PermitWorkload(TWO, true, 2, this.instances)) {
			for (int i = 1; i <= faults; i++) {
				strike(Fault.values()[i % Fault.values().length]);
				long due = (long) grants * i / faults;
				awaitProgress(four);
				awaitProgress(two);
				await().atMost(Duration.ofMinutes(10)).until(() -> four.grants.sum() + two.grants.sum() >= due);
			}
			report("%d + %d permits granted under %d faults within %d s; all held %d + %d times, %d losses, %d refusals",
					four.grants.sum(), two.grants.sum(), faults, since(begin).toSeconds(), four.allHeld.sum(),
					two.allHeld.sum(), four.losses.sum() + two.losses.sum(), four.refusals.sum() + two.refusals.sum());
		}
		this.claimant.kill();
		assertAllCanBeTaken(FOUR);
		assertAllCanBeTaken(TWO);
		for (DefaultLockRegistry instance : this.instances) {
			await().untilAsserted(() -> assertThat(instance.heldCount() + instance.waitingCount()).isZero());
		}
	}

	/** Each who waits gets a permit within a bound. */
	private static void awaitProgress(PermitWorkload workload) {
		List<Integer> counts = workload.counts();
		await().atMost(PermitWorkload.STUCK)
			.untilAsserted(() -> assertThat(workload.allWentOnSince(counts)).as(workload.stragglers(counts)).isTrue());
	}

	private void assertAllCanBeTaken(LockRequest request) throws InterruptedException {
		DefaultLockRegistry registry = registry(LEASE);
		List<LockHandle> taken = new ArrayList<>();
		for (int i = 0; i < request.permits(); i++) {
			taken.add(registry.acquire(request.owner(LockOwner.create("all-" + i)).waitTime(PATIENCE)));
		}
		assertThat(taken).extracting(LockHandle::fencingToken).doesNotHaveDuplicates();
		assertThat(registry.tryAcquire(request.owner(LockOwner.create("more")).waitTime(Duration.ZERO))).isEmpty();
		taken.forEach(LockHandle::close);
		await().atMost(PATIENCE).until(() -> !isLocked(request.name()));
	}

	private ChildJvm startClaimant() {
		return this.registries.keep(Claimant.start(this.redis, FOUR, LEASE));
	}

	private void strike(Fault fault) throws InterruptedException {
		TcpProxy proxy = this.proxies.get(this.random.nextInt(INSTANCES));
		switch (fault) {
			case CONNECTIONS_CUT -> proxy.cutAll();
			case REPLY_LOST -> proxy.dropReplyTo(key(FOUR.name()));
			case REQUEST_REPEATED -> {
				proxy.holdRequest(key(FOUR.name()));
				awaitElapsed(Duration.ofMillis(20L + this.random.nextInt(100)));
				proxy.deliverHeld();
			}
			case CLIENTS_KILLED -> this.redis.cli("CLIENT", "KILL", "TYPE", "normal");
			case SUBSCRIPTIONS_KILLED -> this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub");
			case SCRIPTS_FLUSHED -> this.redis.cli("SCRIPT", "FLUSH");
			case REDIS_STOPPED_SHORT -> stopRedis(LEASE.dividedBy(3));
			case REDIS_STOPPED_LONG -> loseAPermit();
			case HOLDER_KILLED -> {
				Claimant.awaitHeld(this.claimant);
				this.claimant.kill();
				this.claimant = startClaimant();
			}
		}
	}

	/** It is to be had again, whatever becomes of those who are not told in time. */
	private void loseAPermit() throws InterruptedException {
		LockHandle held = registry(LEASE).acquire(FOUR.owner(LockOwner.create("loser")).waitTime(PATIENCE));
		stopRedis(LEASE.plusMillis(300));
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	private void stopRedis(Duration time) {
		this.redis.stop();
		awaitElapsed(time);
		this.redis.resume();
	}

	/**
	 * What is done to those who have permits, and to those who wait for one.
	 */
	private enum Fault {

		CONNECTIONS_CUT, REPLY_LOST, REQUEST_REPEATED, CLIENTS_KILLED, SUBSCRIPTIONS_KILLED, SCRIPTS_FLUSHED,
		REDIS_STOPPED_SHORT, REDIS_STOPPED_LONG, HOLDER_KILLED

	}

}
