package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis stands still for up to three seconds, again and again, while locks are taken and
 * released. The system property {@value #CYCLES} says how often.
 */
@Tag("stress")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StalledReleaseTests extends RedisOfItsOwn {

	static final String CYCLES = "lockstarter.test.stalled.cycles";

	private static final int INSTANCES = 3;

	private static final int THREADS = 12;

	private static final int NAMES = 4;

	private static final Duration FIXED = Duration.ofMillis(1500);

	/** Ends during the work that it is taken for. */
	private static final Duration TOO_SHORT = Duration.ofMillis(100);

	/** One of so many cycles works for longer than its lease. */
	private static final int SELDOM = 2000;

	private final int enough = Integer.getInteger(CYCLES, 200_000);

	private final AtomicInteger cycles = new AtomicInteger();

	private final AtomicInteger losses = new AtomicInteger();

	private final AtomicInteger refusals = new AtomicInteger();

	private final Queue<String> violations = new ConcurrentLinkedQueue<>();

	/**
	 * Nothing but the end of a lease can take a lock away here, so a loss is true if the
	 * lease had ended, by the holder's clock, when the release began.
	 */
	@Test
	void tellsTrueLossesOnly() throws Exception {
		List<DefaultLockRegistry> instances = new ArrayList<>();
		for (int i = 0; i < INSTANCES; i++) {
			instances.add(observedRegistry(Duration.ofSeconds(30)));
			Registries.warmUp(instances.get(i));
		}
		List<Future<?>> works = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			LockRegistry registry = instances.get(i % INSTANCES);
			works.add(async(() -> {
				work(registry);
				return null;
			}));
		}
		int stalls = 0;
		while (this.cycles.get() < this.enough) {
			ThreadLocalRandom random = ThreadLocalRandom.current();
			awaitElapsed(Duration.ofMillis(random.nextInt(200, 1000)));
			this.redis.stop();
			awaitElapsed(Duration.ofMillis(random.nextInt(300, 3000)));
			this.redis.resume();
			stalls++;
		}
		for (Future<?> work : works) {
			work.get(60, TimeUnit.SECONDS);
		}
		report("%d cycles, %d stalls, %d losses, %d unconfirmed releases, %d refusals", this.cycles.get(), stalls,
				this.losses.get(), this.events.unconfirmedReleases.get(), this.refusals.get());
		StressSummary.HOLDS_CHECKED.add(this.cycles.get());
		StressSummary.FAULTS_SURVIVED.add(stalls);
		assertThat(this.violations).isEmpty();
		assertThat(this.losses).as("losses told of leases that ended during the work").hasPositiveValue();
	}

	private void work(LockRegistry registry) throws InterruptedException {
		while (this.cycles.get() < this.enough) {
			boolean tooLong = ThreadLocalRandom.current().nextInt(SELDOM) == 0;
			try {
				cycle(registry.acquire(tooLong ? request().leaseTime(TOO_SHORT) : request()), tooLong);
			}
			catch (LockBackendException | LockAcquisitionTimeoutException ex) {
				// What a Redis that stands still excuses.
				this.refusals.incrementAndGet();
			}
		}
	}

	private static LockRequest request() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		LockRequest request = LockRequest.of("name-" + random.nextInt(NAMES));
		if (random.nextInt(8) == 0) {
			request = request.type(LockType.READ);
		}
		return (random.nextInt(8) == 0) ? request.leaseTime(FIXED) : request;
	}

	private void cycle(LockHandle handle, boolean tooLong) {
		if (tooLong) {
			await().until(() -> !handle.isValid());
		}
		boolean valid = handle.isValid();
		try {
			handle.close();
			if (!valid) {
				this.violations.add("A loss was not told: " + handle);
			}
		}
		catch (LockLostException ex) {
			this.losses.incrementAndGet();
			if (valid && ex.loss().reason() == LockLoss.Reason.NOT_OWNED) {
				this.violations.add("A false loss: " + ex.getMessage());
			}
		}
		this.cycles.incrementAndGet();
	}

}
