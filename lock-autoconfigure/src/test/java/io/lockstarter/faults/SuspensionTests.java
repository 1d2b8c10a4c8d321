package io.lockstarter.faults;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.SteppableClock;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The machine of a holder is suspended: its monotonic clock stands still, so that nothing
 * there wakes up in time, but its wall clock goes on.
 */
@Needs(Tool.CLOCK)
class SuspensionTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(40);

	/** A machine under load may stand still for as long as this. */
	private static final Duration MARGIN = Duration.ofMillis(600);

	private SteppableClock clock;

	@BeforeEach
	@Override
	void startRedis() throws Exception {
		super.startRedis();
		this.clock = this.registries.keep(SteppableClock.create());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void holderLearnsSoonThatItsLeaseHasEnded(boolean fixed) throws Exception {
		within("loss told after a suspension for longer than the lease", MARGIN, () -> {
			ChildJvm holder = holder(fixed);
			long resumed = suspend(LEASE);
			String[] lost = holder.awaitLine((line) -> line.startsWith("lost "), PATIENCE).split(" ");
			assertThat(lost[1]).isEqualTo("LEASE_EXPIRED");
			return Duration.ofNanos(Long.parseLong(lost[2]) - resumed);
		});
	}

	@Tag("stress")
	@Test
	void holderRenewsALeaseOfWhichMostIsOver() throws Exception {
		within("lease renewed after a suspension for less than it", MARGIN, () -> {
			ChildJvm holder = holder(false);
			Duration less = remainingLease("a").minusSeconds(1);
			await().until(() -> remainingLease("a").compareTo(less) < 0);
			long resumed = suspend(LEASE.minusSeconds(3));
			await().until(() -> remainingLease("a").compareTo(less) > 0);
			Duration took = since(resumed);
			assertThat(holder.output()).noneMatch((line) -> line.startsWith("lost"));
			return took;
		});
	}

	private long suspend(Duration time) {
		this.clock.step(time);
		return System.nanoTime();
	}

	private ChildJvm holder(boolean fixed) {
		ChildJvm child = this.registries
			.keep(ChildJvm.start(this.clock, Holder.class, String.valueOf(this.redis.port()), String.valueOf(fixed)));
		child.awaitLine("held"::equals, Duration.ofSeconds(40));
		return child;
	}

	/**
	 * An instance that holds the lock until it is killed.
	 */
	static final class Holder {

		public static void main(String[] arguments) throws Exception {
			ChildJvm.exitWithParent();
			LockListener listener = new LockListener() {

				@Override
				public void lost(LockLoss loss) {
					System.out.println("lost %s %d".formatted(loss.reason(), System.nanoTime()));
				}

			};
			try (Registries registries = new Registries()) {
				DefaultLockRegistry registry = registries.open("127.0.0.1", Integer.parseInt(arguments[0]), LEASE,
						listener);
				Registries.warmUp(registry);
				LockRequest request = LockRequest.of("a");
				registry.acquire(Boolean.parseBoolean(arguments[1]) ? request.leaseTime(LEASE) : request);
				System.out.println("held");
				new CountDownLatch(1).await();
			}
		}

	}

}
