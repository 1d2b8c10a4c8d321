package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.SteppableClock;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The clock of Redis's host is set, forward or back. Leases then end early or late in
 * Redis, but tokens rise and losses are told.
 */
@Needs(Tool.CLOCK)
class ClockStepTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofMillis(2400);

	private static final Duration LONG_LEASE = Duration.ofMinutes(2);

	private static final Duration FIXED_LEASE = Duration.ofMillis(600);

	/** How long a free lock may lie idle, by the re-check of those who wait. */
	private static final Duration RECHECK = Duration.ofSeconds(2);

	private SteppableClock clock;

	@BeforeEach
	@Override
	void startRedis() throws Exception {
		this.clock = this.registries.keep(SteppableClock.create());
		this.redis = RedisServer.startGuarded(this.clock);
	}

	@ParameterizedTest
	@ValueSource(longs = { 10, 3600 })
	void holderWhoseLeaseASteppedClockEndsLearnsItAtTheNextRenewal(long seconds) throws Exception {
		within("loss told after a step by %d s".formatted(seconds), LEASE.dividedBy(2), () -> {
			LockHandle handle = observedRegistry(LEASE).acquire(LockRequest.of("a"));
			long stepped = step(seconds);
			LockHandle next = registry(LONG_LEASE).acquire(LockRequest.of("a").waitTime(PATIENCE));
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
			assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
			assertThat(handle.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
			next.extend(LONG_LEASE);
			next.close();
			return Duration.ofNanos(this.events.loss().at() - stepped);
		});
	}

	@ParameterizedTest
	@ValueSource(longs = { 10, 3600 })
	void holderOfAFixedLeaseThatASteppedClockEndsLearnsItByItsDeadline(long seconds) throws Exception {
		within("loss of a fixed lease told after a step by %d s".formatted(seconds), FIXED_LEASE.plusSeconds(1), () -> {
			LockHandle handle = observedRegistry(LONG_LEASE).acquire(LockRequest.of("a").leaseTime(FIXED_LEASE));
			long stepped = step(seconds);
			LockHandle next = registry(LONG_LEASE).acquire(LockRequest.of("a").waitTime(PATIENCE));
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
			assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
			next.extend(LONG_LEASE);
			next.close();
			return Duration.ofNanos(this.events.loss().at() - stepped);
		});
	}

	@Test
	void lockOutlastsAStepForwardThatIsShorterThanItsLease() throws Exception {
		LockHandle handle = observedRegistry(Duration.ofSeconds(6)).acquire(LockRequest.of("a"));
		step(3);
		assertThat(remainingLease("a")).isLessThanOrEqualTo(Duration.ofSeconds(3));
		await().until(() -> this.events.renewals.get() > 0);
		assertThat(remainingLease("a")).isGreaterThan(Duration.ofSeconds(3));
		handle.close();
		assertThat(this.events.losses).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(value = LockType.class, names = { "REENTRANT", "FAIR", "READ" })
	void oneWhoWaitsGetsTheLockSoonAfterAStepForward(LockType type) throws Exception {
		within("lock granted to one who waits after a step, " + type, RECHECK, () -> {
			LockHandle handle = registry(LONG_LEASE).acquire(LockRequest.of("a"));
			CompletableFuture<LockHandle> waiter = waitFor(type);
			step(3600);
			long start = System.nanoTime();
			LockHandle next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			Duration took = since(start);
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
			next.close();
			return took;
		});
	}

	@ParameterizedTest
	@ValueSource(longs = { 10, 3600 })
	void holderKeepsItsLockWhenTheClockIsSetBack(long seconds) throws Exception {
		LockHandle handle = observedRegistry(LEASE).acquire(LockRequest.of("a"));
		step(-seconds);
		DefaultLockRegistry other = registry(LONG_LEASE);
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> other.acquire(LockRequest.of("a").waitTime(LEASE.dividedBy(2))));
		await().until(() -> this.events.renewals.get() > 0);
		assertThat(handle.isValid()).isTrue();
		assertThat(this.events.losses).isEmpty();
		handle.close();
		assertThat(other.acquire(LockRequest.of("a")).fencingToken()).isGreaterThan(handle.fencingToken());
	}

	@Test
	void tokensRiseWhicheverWayTheClockIsSet() throws Exception {
		DefaultLockRegistry one = registry(LONG_LEASE);
		DefaultLockRegistry two = registry(LONG_LEASE);
		long last = 0;
		for (long seconds : new long[] { 0, -10, -3600, 10, 3610, 7200, -7200, -3600, 86_400, -86_400 }) {
			step(seconds);
			for (int i = 0; i < 40; i++) {
				LockType type = LockType.values()[i / 4 % LockType.values().length];
				try (LockHandle handle = ((i % 2 == 0) ? one : two).acquire(LockRequest.of("a").type(type))) {
					assertThat(handle.fencingToken()).as("%s, clock set by %d s", type, seconds).isGreaterThan(last);
					last = handle.fencingToken();
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource(value = LockType.class, names = { "REENTRANT", "FAIR", "READ" })
	void oneWhoWaitsGetsTheLockSoonAfterItsReleaseWhenTheClockIsSetBack(LockType type) throws Exception {
		within("lock granted after its release, the clock set back, " + type, RECHECK, () -> {
			LockHandle handle = registry(LONG_LEASE).acquire(LockRequest.of("a"));
			CompletableFuture<LockHandle> waiter = waitFor(type);
			step(-3600);
			handle.close();
			long start = System.nanoTime();
			LockHandle next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			Duration took = since(start);
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
			next.close();
			return took;
		});
	}

	@Test
	@Tag("stress")
	void oneWhoFrozeInLineBeforeTheClockWasSetBackHoldsUpNobody() throws Exception {
		within("lock granted past one who froze before the clock was set back", Duration.ofSeconds(3), () -> {
			LockRequest fair = LockRequest.of("a").type(LockType.FAIR);
			LockHandle held = registry(LONG_LEASE).acquire(fair);
			// What is not renewed is not granted by a message either, so that it keeps
			// its
			// place
			ChildJvm first = this.registries.keep(Claimant.startFixed(this.redis, LockType.FAIR, LONG_LEASE));
			Claimant.awaitFirstInLine(this.redis);
			first.stop();
			CompletableFuture<LockHandle> second = registry(LONG_LEASE).acquireAsync(fair);
			await().until(() -> this.redis.cli("ZCARD", key("a") + ":waiters").equals(2L));
			step(-3600);
			held.close();
			long freed = System.nanoTime();
			second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
			return since(freed);
		});
	}

	@ParameterizedTest
	@ValueSource(longs = { 10, 3600 })
	void deadHolderKeepsItsLockForAsLongAsTheClockWasSetBack(long seconds) throws Exception {
		LockHandle handle = registry(LONG_LEASE).acquire(LockRequest.of("a").leaseTime(FIXED_LEASE));
		step(-seconds);
		assertThat(remainingLease("a")).isBetween(Duration.ofSeconds(seconds - 5), FIXED_LEASE.plusSeconds(seconds));
		await().until(() -> !handle.isValid());
		assertThat(isLocked("a")).isTrue();
		step(seconds);
		LockHandle next = registry(LONG_LEASE).acquire(LockRequest.of("a").waitTime(PATIENCE));
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
	}

	@Test
	@Tag("stress")
	void lockOfADeadHolderIsFreeWhenAClockThatWasSetBackHasGoneOn() throws Exception {
		Duration end = FIXED_LEASE.plusSeconds(10);
		within("lock of a dead holder granted when the clock has gone on", end.plus(RECHECK), () -> {
			LockHandle handle = registry(LONG_LEASE).acquire(LockRequest.of("a").leaseTime(FIXED_LEASE));
			long stepped = step(-10);
			LockHandle next = registry(LONG_LEASE).acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(60)));
			Duration took = since(stepped);
			assertThat(took).isGreaterThan(end.minusSeconds(1));
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
			return took;
		});
	}

	private CompletableFuture<LockHandle> waitFor(LockType type) {
		CompletableFuture<LockHandle> waiter = registry(LONG_LEASE).acquireAsync(LockRequest.of("a").type(type));
		Claimant.awaitFirstInLine(this.redis);
		return waiter;
	}

	/** Set the clock, and tell when that was. */
	private long step(long seconds) {
		this.clock.step(Duration.ofSeconds(seconds));
		await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(this::hasNoticed);
		return System.nanoTime();
	}

	/** Valkey looks at its clock no more than ten times a second to see what expires. */
	private boolean hasNoticed() {
		long now = Long.parseLong(((List<?>) this.redis.cli("TIME")).get(0).toString());
		return Math.abs(Long.parseLong(this.redis.info("server_time_usec")) / 1_000_000 - now) <= 1;
	}

}
