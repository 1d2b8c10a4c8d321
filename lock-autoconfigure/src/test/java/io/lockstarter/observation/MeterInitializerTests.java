package io.lockstarter.observation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.actuate.FakeLockMonitor;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class MeterInitializerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LockMeters counters = new LockMeters(this.registry);

	private final LateNames names = new LateNames();

	private final DefaultLockRegistry locks = new DefaultLockRegistry(new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("one", Duration.ofSeconds(10), Duration.ofSeconds(30), null, false, 64),
			List.of(this.counters), List.of(this.names));

	private LockRequest request(String name, String key) {
		return LockRequest.of(name + ":" + key).metricName(name).owner(LockOwner.create("task"));
	}

	@AfterEach
	void close() {
		this.locks.close();
	}

	private Gauge gauge(String meter, String name) {
		return this.registry.get(meter).tag("name", name).gauge();
	}

	private double seconds(String meter, String name) {
		return ((TimeGauge) gauge(meter, name)).value(TimeUnit.SECONDS);
	}

	@Test
	void showWhatIsHeldAndForHowLongWhileItIsHeld() throws InterruptedException {
		long begin = System.currentTimeMillis() - 1;
		LockHandle first = this.locks.acquire(request("ship", "1"));
		LockHandle second = this.locks.acquire(request("ship", "2"));
		LockHandle other = this.locks.acquire(request("bill", "1"));
		await().atMost(PATIENCE).until(() -> seconds("distributed.lock.hold.oldest", "ship") > 0.05);
		assertThat(gauge("distributed.lock.held", "ship").value()).isEqualTo(2);
		assertThat(gauge("distributed.lock.held", "bill").value()).isEqualTo(1);
		assertThat(seconds("distributed.lock.hold.oldest", "ship")).isBetween(0.05, secondsSince(begin));
		first.close();
		other.close();
		await().atMost(PATIENCE).until(() -> gauge("distributed.lock.held", "bill").value() == 0);
		assertThat(gauge("distributed.lock.held", "ship").value()).isEqualTo(1);
		assertThat(seconds("distributed.lock.hold.oldest", "ship")).isPositive()
			.isLessThanOrEqualTo(secondsSince(begin));
		assertThat(seconds("distributed.lock.hold.oldest", "bill")).isZero();
		second.close();
	}

	private static double secondsSince(long millis) {
		return (System.currentTimeMillis() + 1 - millis) / 1e3;
	}

	@Test
	void showWhoWaitsForALockThatWasNeverHadUnderThatName() throws InterruptedException {
		LockHandle held = this.locks.acquire(LockRequest.of("ship:1").metricName("other"));
		CompletableFuture<LockHandle> waiting = this.locks.acquireAsync(request("ship", "1"));
		CompletableFuture<LockHandle> second = this.locks.acquireAsync(request("ship", "1"));
		await().atMost(PATIENCE).until(() -> gauge("distributed.lock.waiting", "ship").value() == 2);
		await().atMost(PATIENCE).until(() -> seconds("distributed.lock.wait.longest", "ship") > 0.05);
		assertThat(gauge("distributed.lock.held", "ship").value()).isZero();
		assertThat(gauge("distributed.lock.waiting", "other").value()).isZero();
		held.close();
		waiting.join().close();
		second.join().close();
		await().atMost(PATIENCE).until(() -> gauge("distributed.lock.waiting", "ship").value() == 0);
		assertThat(seconds("distributed.lock.wait.longest", "ship")).isZero();
	}

	@Test
	void beginRareCountersAtZero() throws InterruptedException {
		this.locks.acquire(request("ship", "1")).close();
		this.locks.acquire(request("ship", "1").type(LockType.READ)).close();
		for (String type : List.of("reentrant", "read")) {
			assertThat(this.registry.get("distributed.lock.lost").tag("type", type).counters())
				.hasSize(LockLoss.Reason.values().length)
				.extracting(Counter::count)
				.containsOnly(0.0);
			assertThat(this.registry.get("distributed.lock.renewals")
				.tags("type", type, "outcome", "failed")
				.counter()
				.count()).isZero();
		}
		assertThat(this.registry.find("distributed.lock.lost").tag("type", "write").counters()).isEmpty();
	}

	@Test
	void countAForcedReleaseAsOne() throws InterruptedException {
		this.locks.acquire(request("ship", "1"));
		this.locks.forceRelease("ship:1");
		await().atMost(PATIENCE)
			.until(() -> this.registry.get("distributed.lock.lost")
				.tag("reason", "force_released")
				.counter()
				.count() == 1);
		assertThat(this.registry.get("distributed.lock.lost").tag("reason", "not_owned").counter().count()).isZero();
	}

	@Test
	void areNotMadeWithoutEndOfNamesThatAreMadeOfKeys() {
		MeterInitializer many = new MeterInitializer(this.counters,
				new LockGauges(this.registry, this.locks, Map.of()));
		IntStream.range(0, MeterInitializer.MAX_NAMES + 10).forEach((i) -> many.requested(request("order-" + i, "1")));
		many.requested(request("order-0", "1"));
		assertThat(this.registry.get("distributed.lock.held").gauges()).hasSize(MeterInitializer.MAX_NAMES);
		assertThat(this.registry.get("distributed.lock.lost").counters())
			.hasSize(MeterInitializer.MAX_NAMES * LockLoss.Reason.values().length);
	}

	@Test
	void shareALookAtManyLocks() {
		CountingMonitor monitor = new CountingMonitor();
		long[] now = { 0 };
		GaugeSnapshot work = new GaugeSnapshot(monitor, () -> now[0]);
		IntStream.range(0, 100).forEach((i) -> work.of("name-" + i));
		assertThat(monitor.looks).isEqualTo(1);
		monitor.hold("ship:42");
		now[0] = Duration.ofMillis(6).toNanos();
		assertThat(work.of("OrderService.ship").held()).isEqualTo(1);
		assertThat(monitor.looks).isEqualTo(2);
	}

	/** Made when there is what it shows. */
	private final class LateNames implements LockObserver {

		private MeterInitializer names;

		@Override
		public synchronized Wait requested(LockRequest request) {
			if (this.names == null) {
				this.names = new MeterInitializer(MeterInitializerTests.this.counters, new LockGauges(
						MeterInitializerTests.this.registry, MeterInitializerTests.this.locks, Map.of()));
			}
			return this.names.requested(request);
		}

	}

	private static final class CountingMonitor extends FakeLockMonitor {

		private int looks;

		@Override
		public List<Held> held() {
			this.looks++;
			return super.held();
		}

	}

}
