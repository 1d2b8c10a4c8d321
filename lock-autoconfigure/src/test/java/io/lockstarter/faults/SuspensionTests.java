package io.lockstarter.faults;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.SteppableClock;
import io.lockstarter.testing.TcpProxy;
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

	private SteppableClock serverClock;

	@BeforeEach
	@Override
	void startRedis() throws Exception {
		this.serverClock = this.registries.keep(SteppableClock.create());
		this.redis = RedisServer.startGuarded(this.serverClock);
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

	/**
	 * The clock of Redis stands until then, so that the waiter has just sent its request.
	 */
	@Test
	void holderKeepsALockThatAnotherInstanceHasJustHandedOver() throws Exception {
		DefaultLockRegistry other = registry(LEASE);
		LockHandle held = other.acquire(LockRequest.of("a"));
		LockHandle first = other.acquire(LockRequest.of(Holder.FIRST));
		TcpProxy proxy = this.registries.keep(TcpProxy.to(this.redis));
		this.serverClock.stop();
		ChildJvm waiter = start(proxy.port(), false);
		await().atMost(PATIENCE).until(() -> isSubscribed() && mayBeGrantedByAMessage(Holder.FIRST));
		first.close();
		await().atMost(PATIENCE).until(() -> mayBeGrantedByAMessage("a"));
		proxy.delay(Duration.ofMillis(300), Duration.ZERO);
		held.close();
		waiter.awaitLine("held"::equals, PATIENCE);
		suspend(Duration.ofMillis(1300));
		this.serverClock.step(Duration.ofMillis(1300));
		assertThat(waiter.awaitLine((line) -> line.startsWith("lost ") || line.equals("renewed"), PATIENCE))
			.isEqualTo("renewed");
		assertThat(remainingLease("a")).isEqualTo(LEASE);
	}

	private boolean isSubscribed() {
		return !this.redis.list("PUBSUB", "CHANNELS", "lock:wake:*").isEmpty();
	}

	private boolean mayBeGrantedByAMessage(String name) {
		return this.redis.list("HVALS", clients(name)).stream().anyMatch((value) -> value.toString().startsWith("X "));
	}

	private long suspend(Duration time) {
		this.clock.step(time);
		return System.nanoTime();
	}

	private ChildJvm holder(boolean fixed) {
		ChildJvm child = start(this.redis.port(), fixed);
		child.awaitLine("held"::equals, Duration.ofSeconds(40));
		return child;
	}

	private ChildJvm start(int port, boolean fixed) {
		return this.registries
			.keep(ChildJvm.start(this.clock, Holder.class, String.valueOf(port), String.valueOf(fixed)));
	}

	/**
	 * An instance that holds the lock until it is killed.
	 */
	static final class Holder {

		/** Who has waited for this one is subscribed. */
		static final String FIRST = "first";

		public static void main(String[] arguments) throws Exception {
			ChildJvm.exitWithParent();
			LockListener listener = new LockListener() {

				@Override
				public void lost(LockLoss loss) {
					System.out.println("lost %s %d".formatted(loss.reason(), System.nanoTime()));
				}

				@Override
				public void renewed(LockHandle handle) {
					System.out.println("renewed");
				}

			};
			try (Registries registries = new Registries()) {
				DefaultLockRegistry registry = registries.open("127.0.0.1", Integer.parseInt(arguments[0]), LEASE,
						listener);
				Registries.warmUp(registry);
				registry.acquire(LockRequest.of(FIRST)).close();
				LockRequest request = LockRequest.of("a");
				registry.acquire(Boolean.parseBoolean(arguments[1]) ? request.leaseTime(LEASE) : request);
				System.out.println("held");
				new CountDownLatch(1).await();
			}
		}

	}

}
