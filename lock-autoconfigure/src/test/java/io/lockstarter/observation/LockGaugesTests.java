package io.lockstarter.observation;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LockGaugesTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private DefaultLockRegistry locks;

	@BeforeEach
	void open() {
		this.locks = new DefaultLockRegistry(new InMemoryLockBackend(new InMemoryLockStore()),
				new EngineSettings("one", Duration.ofSeconds(1), Duration.ofSeconds(30), null, false, 64),
				List.of(new LateListener()));
	}

	@AfterEach
	void close() {
		this.locks.close();
	}

	private LockHandle take(String key, int permits) throws InterruptedException {
		return this.locks.acquire(
				LockRequest.of("render:" + key).metricName("render").permits(permits).owner(LockOwner.create("task")));
	}

	private double value(String meter) {
		return this.meters.get(meter).tag("name", "render").gauge().value();
	}

	/** A snapshot of the holds is shared for a few milliseconds. */
	private void awaitHeld(int permits) {
		await().atMost(PATIENCE).until(() -> value("distributed.lock.permits.held") == permits);
	}

	@Test
	void showsHowManyPermitsThereAreAndAreHeld() throws InterruptedException {
		LockHandle first = take("a", 4);
		LockHandle second = take("a", 4);
		LockHandle other = take("b", 4);
		assertThat(value("distributed.lock.permits")).isEqualTo(4);
		awaitHeld(3);
		first.close();
		other.close();
		awaitHeld(1);
		LockHandle fewer = take("b", 2);
		assertThat(value("distributed.lock.permits")).as("as last granted").isEqualTo(2);
		second.close();
		fewer.close();
		awaitHeld(0);
	}

	@Test
	void showsNoPermitsOfLocksWithoutPermits() throws InterruptedException {
		take("a", 1).close();
		assertThat(this.meters.getMeters()).isEmpty();
	}

	/** Made when there is what it shows. */
	private final class LateListener implements LockListener {

		private LockGauges gauges;

		@Override
		public void acquired(LockHandle lock, Duration waited) {
			if (this.gauges == null) {
				this.gauges = new LockGauges(LockGaugesTests.this.meters, LockGaugesTests.this.locks, Map.of());
			}
			this.gauges.acquired(lock, waited);
		}

	}

}
