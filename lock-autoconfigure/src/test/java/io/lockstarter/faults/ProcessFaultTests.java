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
import org.junit.jupiter.api.Tag;
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

	/**
	 * Time within which a first use has to fail or work if connections are refused: 3 s.
	 */
	private static final Duration REFUSED_FIRST_USE = Duration.ofSeconds(3);

	/** The same if a connection is made, but nobody replies: 10 s, and a margin. */
	private static final Duration SILENT_FIRST_USE = Duration.ofSeconds(13);

	@Tag("stress")
	@Test
	void killedHolderFreesItsLockWhenItsLeaseEndsAndNotBefore() throws Exception {
		Duration lease = Duration.ofMillis(1500);
		within("lock of a killed holder with a lease of 1500 ms granted", lease.plus(MARGIN), () -> {
			DefaultLockRegistry registry = registry(Duration.ofSeconds(30));
			Registries.warmUp(registry);
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
			long granted = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(granted - asked).as("not before its lease ended")
				.isGreaterThanOrEqualTo(remaining.minusMillis(1).toNanos());
			return Duration.ofNanos(granted - killed);
		});
	}

	@Test
	void frozenHolderLearnsOfTheLossOnWakingAndItsTokenIsTooLow() throws Exception {
		within("loss told to a holder that was frozen", MARGIN, () -> {
			ChildJvm holder = holder(Duration.ofMillis(900));
			holder.stop();
			LockHandle taken = registry(Duration.ofSeconds(30)).acquire(LockRequest.of("a"));
			long resumed = System.nanoTime();
			holder.resume();
			String[] lost = holder.awaitLine((line) -> line.startsWith("lost "), PATIENCE).split(" ");
			String[] seen = holder.awaitLine((line) -> line.startsWith("invalid "), PATIENCE).split(" ");
			assertThat(Long.parseLong(lost[1])).isLessThan(taken.fencingToken());
			holder.send("close");
			holder.awaitLine("close: LockLostException"::equals, PATIENCE);
			assertThat(taken.isValid()).isTrue();
			assertThat(isLocked("a")).isTrue();
			return Duration.ofNanos(Math.max(Long.parseLong(lost[2]), Long.parseLong(seen[1])) - resumed);
		});
	}

	@Tag("stress")
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
		within("loss told after the local deadline, Redis restarted empty", MARGIN, () -> {
			DefaultLockRegistry registry = observedRegistry(Duration.ofSeconds(3));
			LockHandle held = registry.acquire(LockRequest.of("a"));
			long deadline = System.nanoTime() + held.remainingLease().toNanos();
			this.redis.restart();
			long told = this.events.loss().at();
			assertThat(this.events.loss().reason()).isIn(LockLoss.Reason.NOT_OWNED, LockLoss.Reason.LEASE_EXPIRED);
			assertThat(held.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
			LockHandle next = registry.acquire(LockRequest.of("a"));
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
			next.close();
			assertThat(isLocked("a")).isFalse();
			return Duration.ofNanos(Math.max(0, told - deadline));
		});
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
		within("first use failing while Redis is down, or working when it is back", REFUSED_FIRST_USE, () -> {
			this.redis.kill();
			return acquiresOnlyWhenRedisIsBack(this.redis::restart);
		});
	}

	@Tag("stress")
	@Test
	void acquireFailsInBoundedTimeWhileRedisIsFrozenAtFirstUse() throws Exception {
		within("first use failing while Redis is frozen, or working when it goes on", SILENT_FIRST_USE, () -> {
			this.redis.stop();
			return acquiresOnlyWhenRedisIsBack(this.redis::resume);
		});
	}

	private Duration acquiresOnlyWhenRedisIsBack(Runnable repair) throws Exception {
		DefaultLockRegistry registry = registry(Duration.ofSeconds(30));
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(2))))
			.satisfies((failure) -> assertThat(failure.reason()).isIn(Reason.UNREACHABLE, Reason.TIMEOUT));
		Duration failed = since(start);
		repair.run();
		long repaired = System.nanoTime();
		await().pollInSameThread().pollDelay(Duration.ZERO).until(() -> tryToAcquire(registry));
		Duration worked = since(repaired);
		return (failed.compareTo(worked) > 0) ? failed : worked;
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
		LockHandle held = observedRegistry(Duration.ofSeconds(3)).acquire(LockRequest.of("a"));
		this.redis.stop();
		await().pollInterval(Duration.ofMillis(5)).until(() -> this.events.failedRenewals.get() > 0);
		this.redis.resume();
		int before = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > before + 1);
		assertThat(held.isValid()).isTrue();
		held.close();
		assertThat(isLocked("a")).isFalse();
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void lossIsToldByTheDeadlineWhenRedisIsFrozenForLongerThanTheLease() throws Exception {
		within("loss told after the local deadline, Redis frozen", MARGIN, () -> {
			DefaultLockRegistry registry = observedRegistry(Duration.ofMillis(1200));
			LockHandle held = registry.acquire(LockRequest.of("a"));
			this.redis.stop();
			long deadline = System.nanoTime() + held.remainingLease().toNanos();
			long late = this.events.loss().at() - deadline;
			assertThat(late).as("not told too early").isGreaterThan(-1_000_000);
			assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
			this.redis.resume();
			registry.acquire(LockRequest.of("a").leaseTime(Duration.ofSeconds(30))).close();
			return Duration.ofNanos(late);
		});
	}

	@Test
	void closesInBoundedTimeWhileRedisIsFrozen() throws Exception {
		LockBackend backend = this.registries.keep(new RedisClients()).connect(this.redis.host(), this.redis.port());
		this.registries.open(backend, Duration.ofSeconds(30)).acquire(LockRequest.of("a")).close();
		await().until(backend::isSubscribed);
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
		LockRequest request = LockRequest.of("a").leaseTime(Duration.ofMinutes(2));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(request))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
		NamedLock lock = registry.get(LockRequest.of("b").leaseTime(Duration.ofMinutes(2)));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(lock::tryLock);
		this.redis.resume();
		await().during(Duration.ofMillis(500)).until(() -> !isLocked("a") && !isLocked("b"));
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
