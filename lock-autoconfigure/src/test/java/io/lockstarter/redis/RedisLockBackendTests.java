package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.SteppableClock;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

/**
 * The Redis backend keeps the contract on a server of this machine. The tests are more
 * exact where the clock of that server can be set.
 */
@Tag("tool")
class RedisLockBackendTests extends LockBackendContract {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static RedisServer redis;

	/** What the server goes by, or {@code null} where there is no such clock. */
	private static @Nullable SteppableClock clock;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		if (SteppableClock.isAvailable()) {
			clock = SteppableClock.create();
			redis = RedisServer.startGuarded(clock);
		}
		else {
			redis = RedisServer.startGuarded();
		}
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
		if (clock != null) {
			clock.close();
			clock = null;
		}
	}

	/** A grant by message lasts for a second, until it is answered. */
	private static void stopTime() {
		if (clock != null) {
			clock.stop();
		}
	}

	@AfterEach
	void letTimeGoOn() {
		if (clock != null) {
			clock.resume();
		}
	}

	@AfterEach
	void clientsKeepToThePublishedRules() {
		assertThat(redis.violations()).isEmpty();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(redis.host(), redis.port());
	}

	@Test
	void refusesToListFromNowhere() {
		assertThatIllegalArgumentException().isThrownBy(() -> newBackend().names("nowhere", 10))
			.withMessageContaining("nowhere");
	}

	@Test
	void namesNoLockInAFailureThatIsNotAboutOne() {
		LockBackend unreachable = this.clients.connect("localhost", 1);
		List.of(unreachable.connect(), unreachable.probe(), unreachable.names("", 10))
			.forEach((answer) -> assertThat(failure(answer))
				.hasMessageStartingWith("no connection to the lock backend (Redis at localhost:1 (Lettuce): ")
				.extracting(LockBackendException::lockName)
				.isEqualTo(LockBackendException.NO_LOCK));
		assertThat(failure(unreachable.acquire(acquire(unreachable, 1, false)))).hasMessageStartingWith(
				"Lock 'offered': no connection to the lock backend (Redis at localhost:1 (Lettuce): ");
	}

	private static LockBackendException failure(CompletableFuture<?> answer) {
		return (LockBackendException) catchThrowableOfType(CompletionException.class, answer::join).getCause();
	}

	@Test
	void grantsTheLockToTheClientThatWaits() {
		LockBackend one = newBackend();
		LockBackend two = newBackend();
		Offers offers = new Offers();
		two.listen(offers);
		one.acquire(acquire(one, 1, false)).join();
		await().until(two::isSubscribed);
		stopTime();
		LockBackend.AcquireReply refusal = two.acquire(acquire(two, 5, true)).join();
		one.release(new LockBackend.Release("offered", tenure(one, 1), Intent.LEAVE, null)).join();
		await().until(() -> !offers.received.isEmpty());
		LockBackend.DirectGrant offer = offers.received.remove();
		assertThat(offer.tenure()).isEqualTo(tenure(two, 5));
		assertThat(offer.contended()).isFalse();
		assertThat(offer.lease()).isEqualTo(LEASE);
		assertThat(refusal).isInstanceOfSatisfying(LockBackend.Refused.class,
				(refused) -> assertThat(offer.requestMicros()).isEqualTo(refused.micros()));
		assertThat(redis.cli("HGETALL", "lock:{offered}")).asInstanceOf(InstanceOfAssertFactories.LIST)
			.startsWith(tenure(two, 5).toString(), "1")
			.doesNotContain("shared");
		assertThat((Long) redis.cli("PTTL", "lock:{offered}")).isBetween(1000L, LEASE.toMillis());
		assertThat(two.acquire(acquire(two, 5, true)).join()).isEqualTo(new LockBackend.Granted(offer.base(), false));
	}

	@Test
	void grantsNothingToAClientThatCannotHearOfIt() {
		LockBackend one = newBackend();
		LockBackend deaf = newBackend();
		deaf.listen(new Offers());
		one.acquire(acquire(one, 1, false)).join();
		assertThat(deaf.acquire(acquire(deaf, 1, true)).join()).isInstanceOf(LockBackend.Refused.class);
		await().until(deaf::isSubscribed);
		deaf.close();
		await().until(() -> ((List<?>) redis.cli("PUBSUB", "CHANNELS", "lock:wake:" + deaf.clientId())).isEmpty());
		one.release(new LockBackend.Release("offered", tenure(one, 1), Intent.LEAVE, null)).join();
		assertThat(redis.cli("EXISTS", "lock:{offered}")).isEqualTo(0L);
	}

	@Test
	void grantsNothingToATenureThatHasEnded() {
		LockBackend one = newBackend();
		LockBackend two = newBackend();
		Offers offers = new Offers();
		two.listen(offers);
		one.acquire(acquire(one, 1, false)).join();
		await().until(two::isSubscribed);
		two.acquire(acquire(two, 5, true)).join();
		two.release(new LockBackend.Release("offered", tenure(two, 5), Intent.LEAVE, null)).join();
		one.release(new LockBackend.Release("offered", tenure(one, 1), Intent.LEAVE, null)).join();
		assertThat(redis.cli("EXISTS", "lock:{offered}")).isEqualTo(0L);
		assertThat(offers.received).isEmpty();
	}

	/**
	 * The key of such a lock, which is all that a message says, does not tell its name,
	 * and that is not remembered either.
	 */
	@Test
	void wakesAllWhoWaitWhenALockWithAnEnormousNameIsFree() {
		LockBackend one = newBackend();
		LockBackend two = newBackend();
		LockBackend.WakeListener listener = mock();
		two.listen(listener);
		await().until(two::isSubscribed);
		verify(listener, timeout(Actor.PATIENCE.toMillis())).messagesMissed();
		clearInvocations(listener);
		String name = "enormous-" + "x".repeat(100_000);
		one.acquire(acquire(name, one, 1, false)).join();
		assertThat(two.acquire(acquire(name, two, 1, true)).join()).isInstanceOf(LockBackend.Refused.class);
		one.release(new LockBackend.Release(name, tenure(one, 1), Intent.LEAVE, null)).join();
		verify(listener, timeout(Actor.PATIENCE.toMillis())).messagesMissed();
	}

	@BeforeEach
	void forgetOffers() {
		redis.cli("DEL", "lock:{offered}", "lock:{offered}:clients", "lock:{offered}:waiters");
	}

	private static LockBackend.Acquire acquire(LockBackend client, long sequence, boolean waits) {
		return acquire("offered", client, sequence, waits);
	}

	private static LockBackend.Acquire acquire(String name, LockBackend client, long sequence, boolean waits) {
		LockBackend.Waiting waiting = waits ? new LockBackend.Waiting(OptionalLong.empty(), Duration.ZERO, true) : null;
		return new LockBackend.Acquire(name, tenure(client, sequence), LockType.REENTRANT, "holder of " + sequence,
				LEASE, waiting);
	}

	private static TenureId tenure(LockBackend client, long sequence) {
		return new TenureId(client.clientId(), sequence);
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

	/**
	 * Remembers what it is granted.
	 */
	private static final class Offers implements LockBackend.WakeListener {

		private final Queue<LockBackend.DirectGrant> received = new ConcurrentLinkedQueue<>();

		@Override
		public void wake(String name) {
			// Not of interest here.
		}

		@Override
		public void forceReleased(String name) {
		}

		@Override
		public void contended(String name) {
			// Not of interest here.
		}

		@Override
		public void granted(String name, LockBackend.DirectGrant offer) {
			this.received.add(offer);
		}

		@Override
		public void messagesMissed() {
			// Not of interest here.
		}

	}

}
