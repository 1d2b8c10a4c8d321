package io.lockstarter.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.ChildJvm;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Holders and Redis servers that are killed, frozen and started again.
 */
class ProcessFaultTests extends RedisOfItsOwn {

	/** A machine under load may stand still for as long as this. */
	private static final Duration MARGIN = Duration.ofMillis(400);

	@Test
	void killedHolderFreesItsLockWhenItsLeaseEndsAndNotBefore() throws Exception {
		Duration lease = Duration.ofMillis(1500);
		DefaultLockRegistry registry = registry(lease);
		registry.acquire(LockRequest.of("warm-up")).close();
		ChildJvm holder = holder(lease);
		Future<Long> waiting = async(() -> {
			registry.acquire(LockRequest.of("a"));
			return System.nanoTime();
		});
		await().until(() -> this.redis.cli("ZCARD", key("a") + ":waiters").equals(1L));
		long killed = System.nanoTime();
		holder.kill();
		long asked = System.nanoTime();
		Duration remaining = remainingLease("a");
		long answered = System.nanoTime();
		long granted = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		report("holder killed: lock granted to a waiter %d ms later, %d to %d ms after its lease of %d ms had ended",
				(granted - killed) / 1_000_000, (granted - answered - remaining.toNanos()) / 1_000_000,
				(granted - asked - remaining.toNanos()) / 1_000_000, lease.toMillis());
		assertThat(granted - asked).isGreaterThanOrEqualTo(remaining.minusMillis(1).toNanos());
		assertThat(granted - killed).isLessThan(lease.plus(MARGIN).toNanos());
	}

	@Test
	void frozenHolderLearnsOfTheLossOnWakingAndItsTokenIsTooLow() throws Exception {
		Duration lease = Duration.ofMillis(900);
		ChildJvm holder = holder(lease);
		holder.stop();
		LockHandle taken = registry(lease).acquire(LockRequest.of("a"));
		long resumed = System.nanoTime();
		holder.resume();
		String[] lost = holder.awaitLine((line) -> line.startsWith("lost "), PATIENCE).split(" ");
		String[] seen = holder.awaitLine((line) -> line.startsWith("invalid "), PATIENCE).split(" ");
		report("frozen holder: loss told %d ms, seen by the holder %d ms after SIGCONT was asked for",
				(Long.parseLong(lost[2]) - resumed) / 1_000_000, (Long.parseLong(seen[1]) - resumed) / 1_000_000);
		assertThat(Long.parseLong(lost[2]) - resumed).isLessThan(MARGIN.toNanos());
		assertThat(Long.parseLong(seen[1]) - resumed).isLessThan(MARGIN.toNanos());
		assertThat(Long.parseLong(lost[1])).isLessThan(taken.fencingToken());
		holder.send("close");
		holder.awaitLine("close: LockLostException"::equals, PATIENCE);
		assertThat(taken.isValid()).isTrue();
		assertThat(isLocked("a")).isTrue();
	}

	@Test
	void firstUseInAColdJvmIsNotCutShortByAShortLease() {
		holder(Duration.ofMillis(600), false);
		assertThat(isLocked("a")).isTrue();
	}

	private ChildJvm holder(Duration lease) {
		return holder(lease, true);
	}

	private ChildJvm holder(Duration lease, boolean warm) {
		ChildJvm child = this.registries.keep(ChildJvm.start(Holder.class, String.valueOf(this.redis.port()),
				String.valueOf(lease.toMillis()), String.valueOf(warm)));
		child.awaitLine("held"::equals, Duration.ofSeconds(30));
		return child;
	}

	@Test
	void holderLearnsThatRedisWasRestartedEmpty() throws Exception {
		Duration lease = Duration.ofSeconds(3);
		DefaultLockRegistry registry = observedRegistry(lease);
		LockHandle held = registry.acquire(LockRequest.of("a"));
		long deadline = System.nanoTime() + held.remainingLease().toNanos();
		this.redis.restart();
		long restarted = System.nanoTime();
		await().atMost(PATIENCE).until(() -> !this.events.losses.isEmpty());
		report("Redis restarted empty: loss told %d ms later as %s", (this.events.loss().at() - restarted) / 1_000_000,
				this.events.loss().reason());
		assertThat(this.events.loss().reason()).isIn(LockLoss.Reason.NOT_OWNED, LockLoss.Reason.LEASE_EXPIRED);
		assertThat(this.events.loss().at()).isLessThan(deadline + MARGIN.toNanos());
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		LockHandle next = registry.acquire(LockRequest.of("a"));
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void locksComeBackWithRedisWhereLettuceDoesNotReconnect() throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries
			.open(clients.connect(new RedisStandaloneConfiguration(this.redis.host(), this.redis.port()),
					LettuceClientConfiguration.builder()
						.clientOptions(ClientOptions.builder().autoReconnect(false).build())
						.build()),
					Duration.ofSeconds(30));
		registry.acquire(LockRequest.of("a")).close();
		for (int i = 0; i < 2; i++) {
			this.redis.kill();
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a")))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE));
			this.redis.restart();
			registry.acquire(LockRequest.of("a")).close();
			// The same when nobody has asked meanwhile
			this.redis.restart();
			registry.acquire(LockRequest.of("a")).close();
		}
	}

	@Test
	void acquireFailsInBoundedTimeWhileRedisIsDownAtFirstUse() throws Exception {
		this.redis.kill();
		acquiresOnlyWhenRedisIsBack(this.redis::restart);
	}

	@Test
	void acquireFailsInBoundedTimeWhileRedisIsFrozenAtFirstUse() throws Exception {
		this.redis.stop();
		acquiresOnlyWhenRedisIsBack(this.redis::resume);
	}

	private void acquiresOnlyWhenRedisIsBack(Runnable repair) throws Exception {
		DefaultLockRegistry registry = registry(Duration.ofSeconds(30));
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(2))))
			.satisfies((failure) -> assertThat(failure.reason()).isIn(Reason.UNREACHABLE, Reason.TIMEOUT));
		Duration failed = since(start);
		assertThat(failed).isLessThan(Duration.ofSeconds(3));
		repair.run();
		long repaired = System.nanoTime();
		await().pollInSameThread().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> tryToAcquire(registry));
		report("Redis down at first use: error after %d ms; lock taken %d ms after Redis was back", failed.toMillis(),
				since(repaired).toMillis());
		assertThat(since(repaired)).isLessThan(Duration.ofSeconds(3));
	}

	private static boolean tryToAcquire(DefaultLockRegistry registry) throws InterruptedException {
		try {
			registry.acquire(LockRequest.of("a")).close();
			return true;
		}
		catch (LockBackendException ex) {
			return false;
		}
	}

	@Test
	void lockSurvivesARedisThatIsFrozenForLessThanTheLease() throws Exception {
		Duration lease = Duration.ofMillis(1800);
		LockHandle held = observedRegistry(lease).acquire(LockRequest.of("a"));
		await().until(() -> this.events.renewals.get() >= 1);
		this.redis.stop();
		await().atMost(PATIENCE).until(() -> this.events.failedRenewals.get() > 0);
		this.redis.resume();
		int before = this.events.renewals.get();
		await().atMost(PATIENCE).until(() -> this.events.renewals.get() > before + 4);
		assertThat(held.isValid()).isTrue();
		held.close();
		assertThat(isLocked("a")).isFalse();
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void lossIsToldByTheDeadlineWhenRedisIsFrozenForLongerThanTheLease() throws Exception {
		Duration lease = Duration.ofMillis(1200);
		DefaultLockRegistry registry = observedRegistry(lease);
		LockHandle held = registry.acquire(LockRequest.of("a"));
		await().until(() -> this.events.renewals.get() >= 1);
		this.redis.stop();
		long deadline = System.nanoTime() + held.remainingLease().toNanos();
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> !this.events.losses.isEmpty());
		long late = this.events.loss().at() - deadline;
		report("Redis frozen: loss told %.1f ms after the local deadline", late / 1e6);
		assertThat(late).isBetween(-1_000_000L, MARGIN.toNanos());
		assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		this.redis.resume();
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void closesInBoundedTimeWhileRedisIsFrozen() throws Exception {
		LockBackend backend = this.registries.keep(new RedisClients()).connect(this.redis.host(), this.redis.port());
		this.registries.open(backend, Duration.ofSeconds(30)).acquire(LockRequest.of("a")).close();
		await().atMost(PATIENCE).until(backend::isListening);
		this.redis.stop();
		long start = System.nanoTime();
		assertThat(async(() -> {
			backend.close();
			return since(start);
		})).succeedsWithin(PATIENCE)
			.satisfies((took) -> report("Redis frozen: backend closed in %d ms", took.toMillis()));
	}

	@Test
	void lockIsNotTakenAwayWhileRedisIsFrozenButCanBeAfterwards() throws Exception {
		DefaultLockRegistry registry = observedRegistry(Duration.ofSeconds(30));
		registry.acquire(LockRequest.of("a"));
		this.redis.stop();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.forceRelease("a"))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
		this.redis.resume();
		assertThat(registry.forceRelease("a")).hasSize(1);
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void nothingIsLeftLockedByAttemptsMadeWhileRedisWasFrozen() throws Exception {
		DefaultLockRegistry registry = observedRegistry(Duration.ofSeconds(30));
		registry.acquire(LockRequest.of("warm-up")).close();
		this.redis.stop();
		LockRequest request = LockRequest.of("a").leaseTime(Duration.ofSeconds(3));
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(request))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
		}
		NamedLock lock = registry.get(LockRequest.of("b").leaseTime(Duration.ofSeconds(3)));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(lock::tryLock);
		this.redis.resume();
		// Well before any lease ends by itself.
		await().atMost(Duration.ofSeconds(1)).until(() -> !isLocked("a") && !isLocked("b"));
		await().during(Duration.ofMillis(500)).atMost(PATIENCE).until(() -> !isLocked("a") && !isLocked("b"));
		registry.acquire(LockRequest.of("a")).close();
	}

	/**
	 * An instance that holds the lock until it is told to close it.
	 */
	static final class Holder {

		public static void main(String[] arguments) throws Exception {
			CompletableFuture<Void> close = new CompletableFuture<>();
			ChildJvm.exitWithParent((line) -> close.complete(null));
			LockListener listener = new LockListener() {

				@Override
				public void lost(LockLoss loss) {
					System.out.println("lost %d %d".formatted(loss.fencingToken(), System.nanoTime()));
				}

			};
			try (Registries registries = new Registries()) {
				DefaultLockRegistry registry = registries.open("127.0.0.1", Integer.parseInt(arguments[0]),
						Duration.ofMillis(Long.parseLong(arguments[1])), listener);
				if (Boolean.parseBoolean(arguments[2])) {
					Registries.warmUp(registry);
				}
				LockHandle handle = registry.acquire(LockRequest.of("a"));
				System.out.println("held");
				await().pollInSameThread()
					.pollInterval(Duration.ofMillis(1))
					.atMost(Duration.ofMinutes(1))
					.until(() -> !handle.isValid());
				System.out.println("invalid " + System.nanoTime());
				close.join();
				try {
					handle.close();
					System.out.println("close: normal");
				}
				catch (RuntimeException ex) {
					System.out.println("close: " + ex.getClass().getSimpleName());
				}
			}
		}

	}

}
