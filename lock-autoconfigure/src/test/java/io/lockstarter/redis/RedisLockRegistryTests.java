package io.lockstarter.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.LockingChapters;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The registry keeps the contract on a Redis of this machine.
 */
class RedisLockRegistryTests extends RedisRegistries implements LockingChapters {

	@Test
	void writesTheHoldCountToRedisInTheEnd() {
		int entries = 100_000;
		NamedLock lock = one().get(name());
		for (int i = 0; i < entries; i++) {
			lock.lock();
		}
		awaitHoldCount(entries);
		for (int i = 1; i < entries; i++) {
			lock.unlock();
		}
		awaitHoldCount(1);
		lock.unlock();
		assertThat(isForgotten(name())).isTrue();
	}

	/** As an administrator may have it who does not want key names to be seen. */
	@Test
	void seesOnlyLocksOfItsOwnWhereListingIsNotAllowed() throws Exception {
		one().acquire(request());
		two().acquire(LockRequest.of(name() + "-other"));
		assertThat(redis.cli("ACL", "SETUSER", "default", "-scan")).isEqualTo("OK");
		try {
			LockMonitor.LockPage page = one().locks("", 100).join();
			assertThat(page.note()).contains("scan");
			assertThat(page.next()).isEmpty();
			assertThat(page.locks()).extracting(LockMonitor.LockSnapshot::name).containsExactly(name());
		}
		finally {
			redis.cli("ACL", "SETUSER", "default", "+scan");
			redis.cli("ACL", "LOG", "RESET");
		}
	}

	@Test
	void seesLocksOnlyWhereThereAreLocks() throws Exception {
		one().acquire(request());
		redis.cli("SET", "lock:{" + name() + "-foreign}", "text");
		redis.cli("SET", "lock:{%foreign}", "text");
		redis.cli("SET", "lock:{" + name() + "}:other", "text");
		assertThat(two().locks("", 1000).join().locks()).extracting(LockMonitor.LockSnapshot::name)
			.filteredOn((seen) -> seen.contains(name()) || seen.contains("foreign"))
			.containsExactly(name());
	}

	/** It was registered for one who had gone by the time of the answer. */
	@Test
	void leavesTheWaitersAfterOneWhoDoesNotWait() throws InterruptedException {
		one().acquire(LockRequest.of(name() + "-other")).close();
		try (LockHandle held = two().acquire(request())) {
			redis.cli("CLIENT", "PAUSE", "500", "ALL");
			CompletableFuture<LockHandle> waiting = one().acquireAsync(request());
			CompletableFuture<LockHandle> attempt = one().acquireAsync(request().waitTime(Duration.ZERO));
			waiting.cancel(false);
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> Actor.resultOf(attempt));
			await().atMost(Duration.ofSeconds(5))
				.until(() -> Long.valueOf(0).equals(redis.cli("EXISTS", "lock:{" + name() + "}:waiters")));
			assertThat(held.isValid()).isTrue();
		}
	}

	private void awaitHoldCount(int count) {
		await().untilAsserted(() -> assertThat(redis.cli("HVALS", "lock:{" + name() + "}"))
			.asInstanceOf(InstanceOfAssertFactories.LIST)
			.contains(Integer.toString(count)));
	}

}
