package io.lockstarter.engine.lease;

import java.time.Duration;
import java.time.InstantSource;

import io.lockstarter.core.Durations;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lock.Tenure;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Lease}, {@link Moment} and the lease of a {@link Tenure}.
 */
class LeaseTests {

	private static final long MILLI = 1_000_000;

	@Test
	void endsEarlierThanTheBackendsLeaseByOneHundredthAndTwoMilliseconds() {
		Moment start = Moment.now(InstantSource.system());
		assertThat(Lease.of(start, Duration.ofSeconds(30)).usableNanos()).isEqualTo(30_000 * MILLI - 302 * MILLI);
		assertThat(Lease.of(start, Duration.ofMillis(100)).usableNanos()).isEqualTo(97 * MILLI);
		assertThat(Lease.of(start, Duration.ofMillis(100)).deadlineNanos()).isEqualTo(start.nanos() + 97 * MILLI);
	}

	@Test
	void leavesRoomInTheShortestLease() {
		Lease lease = Lease.of(Moment.now(InstantSource.system()), Durations.SHORTEST_LEASE);
		assertThat(lease.usableNanos()).isGreaterThan(Durations.SHORTEST_LEASE.toNanos() / 2);
		assertThat(Commands.timeoutNanos(Durations.SHORTEST_LEASE)).isBetween(MILLI,
				Durations.SHORTEST_LEASE.toNanos() / 2);
	}

	@Test
	void countsFromTheMomentGiven() {
		Moment now = Moment.now(InstantSource.system());
		Moment earlier = new Moment(now.nanos() - 1000 * MILLI, now.millis() - 1000);
		long remaining = Lease.of(earlier, Duration.ofSeconds(3)).remainingNanos(Moment.now(InstantSource.system()));
		assertThat(remaining).isBetween((3000 - 32 - 1000 - 500) * MILLI, (3000 - 32 - 1000) * MILLI);
	}

	@Test
	void runsOutThoughTheMonotonicClockStoodStill() {
		Moment now = Moment.now(InstantSource.system());
		Moment beforeSuspension = new Moment(now.nanos(), now.millis() - 60_000);
		assertThat(
				Lease.of(beforeSuspension, Duration.ofSeconds(30)).remainingNanos(Moment.now(InstantSource.system())))
			.isNegative();
	}

	@Test
	void runsOutThoughTheWallClockWasSetBack() {
		Moment now = Moment.now(InstantSource.system());
		Moment beforeStep = new Moment(now.nanos() - 60_000 * MILLI, now.millis() + 3_600_000);
		assertThat(Lease.of(beforeStep, Duration.ofSeconds(30)).remainingNanos(Moment.now(InstantSource.system())))
			.isNegative();
	}

	@Test
	void movesTheDeadlineForwardOnly() {
		Moment start = Moment.now(InstantSource.system());
		Duration lease = Duration.ofSeconds(30);
		HeldLease held = new HeldLease(lease, true, Lease.of(start, lease));
		Lease shorter = Lease.of(start, Duration.ofSeconds(10));
		held.renewalFailed("unreachable");
		held.confirm(shorter, start);
		assertThat(held.current()).isNotEqualTo(shorter);
		assertThat(held.isFailing()).isFalse();
		Lease longer = Lease.of(start, Duration.ofSeconds(60));
		held.confirm(longer, start);
		assertThat(held.current()).isEqualTo(longer);
	}

	@Test
	void givesACommandASixthOfItsLeaseAndNeverMoreThanTwoSeconds() {
		assertThat(Commands.timeoutNanos(Duration.ofSeconds(6))).isEqualTo(1000 * MILLI);
		assertThat(Commands.timeoutNanos(Duration.ofSeconds(12))).isEqualTo(2000 * MILLI);
		assertThat(Commands.timeoutNanos(Duration.ofHours(1))).isEqualTo(2000 * MILLI);
	}

}
