package io.lockstarter.adapter;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

import io.lockstarter.contract.Actor;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.CapturedLog;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import net.javacrumbs.shedlock.test.support.FuzzTester;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What ShedLock asks of a lock provider, by its own tests, and what is particular to
 * ours.
 */
abstract class ShedLockContract extends AbstractExtensibleLockProviderIntegrationTest {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration LONG = Duration.ofMinutes(5);

	private Instances instances;

	private DefaultLockRegistry registry;

	private DefaultLockRegistry other;

	private ShedLockProvider provider;

	abstract Instances newInstances();

	@BeforeEach
	void open() {
		this.instances = newInstances();
		this.registry = this.instances.open(LEASE);
		this.other = this.instances.open(LEASE);
		this.provider = new ShedLockProvider(this.registry);
	}

	@AfterEach
	void close() throws Exception {
		this.instances.close();
	}

	@Override
	protected ExtensibleLockProvider getLockProvider() {
		return this.provider;
	}

	@Override
	protected void assertLocked(String lockName) {
		assertThat(freeForOthers(lockName)).as("free").isFalse();
	}

	@Override
	protected void assertUnlocked(String lockName) {
		assertThat(freeForOthers(lockName)).as("free").isTrue();
	}

	private boolean freeForOthers(String lockName) {
		try {
			Optional<LockHandle> handle = this.other.tryAcquire(LockRequest.of(lockName).waitTime(Duration.ZERO));
			handle.ifPresent(LockHandle::close);
			return handle.isPresent();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** With a lease that is no shorter than a lease can be. */
	@Override
	@Test
	@Tag("stress")
	public void shouldTimeout() throws InterruptedException {
		doTestTimeout(Duration.ofMillis(500));
	}

	// Those of ShedLock's tests that go by the time, or take long.

	@Override
	@Test
	@Tag("stress")
	public void shouldLockAtLeastFor() throws InterruptedException {
		super.shouldLockAtLeastFor();
	}

	@Override
	@Test
	@Tag("stress")
	public void shouldBeAbleToExtendLock() {
		super.shouldBeAbleToExtendLock();
	}

	@Override
	@Test
	@Tag("stress")
	public void shouldBeAbleToExtendMultipleTimes() {
		super.shouldBeAbleToExtendMultipleTimes();
	}

	@Override
	@Test
	@Tag("stress")
	public void shouldBeAbleToExtendAtLeast() {
		super.shouldBeAbleToExtendAtLeast();
	}

	@Override
	@Test
	@Tag("stress")
	public void fuzzTestShouldPass() throws ExecutionException, InterruptedException {
		super.fuzzTestShouldPass();
	}

	private SimpleLock take(Duration atMost, Duration atLeast) {
		return this.provider.lock(lockConfig(LOCK_NAME1, atMost, atLeast)).orElseThrow();
	}

	@Test
	void keepsTwoInstancesApart() throws Exception {
		ShedLockProvider second = new ShedLockProvider(this.other);
		boolean[] which = new boolean[1];
		new FuzzTester((configuration) -> {
			which[0] = !which[0];
			return (which[0] ? this.provider : second).lock(configuration);
		}).doFuzzTest();
	}

	@Test
	void isNotReentrant() {
		SimpleLock lock = take(LONG, Duration.ZERO);
		assertThat(this.provider.lock(lockConfig(LOCK_NAME1))).isEmpty();
		lock.unlock();
	}

	@Test
	void unlocksOnAnotherThread() {
		SimpleLock lock = take(LONG, Duration.ZERO);
		try (Actor actor = new Actor()) {
			actor.run(lock::unlock);
		}
		assertUnlocked(LOCK_NAME1);
	}

	@Test
	void refusesToUnlockTwice() {
		SimpleLock lock = take(LONG, Duration.ZERO);
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void keepsTheLockForItsLeastTimeWithoutKeepingTheCaller() {
		take(LONG, LEASE).unlock();
		assertLocked(LOCK_NAME1);
	}

	@Test
	void endsTheLockAfterItsLeastTime() {
		Duration atLeast = Duration.ofMillis(500);
		long start = System.nanoTime();
		take(LONG, atLeast).unlock();
		await().until(() -> freeForOthers(LOCK_NAME1));
		assertThat(elapsed(start)).isGreaterThanOrEqualTo(atLeast);
		await().untilAsserted(() -> assertThat(this.registry.heldCount()).isZero());
	}

	@Test
	void losesNothingThatIsHeldForAsLongAtLeastAsAtMost() {
		Duration time = Duration.ofMillis(500);
		long start = System.nanoTime();
		take(time, time).unlock();
		await().until(() -> freeForOthers(LOCK_NAME1));
		assertThat(elapsed(start)).isGreaterThan(time);
		await().until(() -> this.registry.heldCount() == 0);
		assertThat(this.instances.losses).isEmpty();
	}

	@Test
	void countsTheLeastTimeFromTheExtension() {
		SimpleLock lock = take(LONG, Duration.ZERO);
		Duration atLeast = Duration.ofMillis(500);
		long start = System.nanoTime();
		lock.extend(LONG, atLeast).orElseThrow().unlock();
		await().until(() -> freeForOthers(LOCK_NAME1));
		assertThat(elapsed(start)).isGreaterThanOrEqualTo(atLeast);
	}

	@Test
	void endsTheLockAtItsMostTimeThoughItIsNotUnlocked() {
		long start = System.nanoTime();
		take(Duration.ofMillis(500), Duration.ZERO);
		await().until(() -> freeForOthers(LOCK_NAME1));
		assertThat(elapsed(start)).isGreaterThan(Duration.ofMillis(400));
	}

	@Test
	void unlocksQuietlyWhatWasLostSoThatTheTasksOwnFailureIsSeen() {
		SimpleLock lock = take(Duration.ofMillis(100), Duration.ZERO);
		await().until(() -> freeForOthers(LOCK_NAME1));
		SimpleLock next = take(LONG, Duration.ZERO);
		lock.unlock();
		assertLocked(LOCK_NAME1);
		next.unlock();
	}

	@Test
	void tellsOfATaskThatTookTooLongInTheWordsOfShedLock() {
		try (CapturedLog log = CapturedLog.of(ShedLock.class)) {
			SimpleLock lock = take(Duration.ofMillis(100), Duration.ZERO);
			await().until(() -> freeForOthers(LOCK_NAME1));
			lock.unlock();
			assertThat(log.lines()).singleElement()
				.asString()
				.matches("Task '" + LOCK_NAME1
						+ "' ran for \\d+(ms|s), which is longer than its lockAtMostFor of 100ms, so another"
						+ " instance may have run it at the same time\\. Raise lockAtMostFor above the longest time that"
						+ " the task can take\\. Lock '" + LOCK_NAME1 + "' was held by .*")
				.doesNotContain("leaseTime");
		}
	}

	@Test
	void tellsOfALockThatWasTakenAwayFromATask() {
		try (CapturedLog log = CapturedLog.of(ShedLock.class)) {
			SimpleLock lock = take(LONG, Duration.ZERO);
			this.registry.forceRelease(LOCK_NAME1);
			lock.unlock();
			assertThat(log.lines()).singleElement()
				.asString()
				.startsWith("Task '" + LOCK_NAME1 + "' lost its lock while it ran, so another instance may have run it"
						+ " at the same time. Lock '")
				.doesNotContain("lockAtMostFor");
		}
	}

	@Test
	void tellsOfAnInterruptAndKeepsTheFlag() {
		try (Actor actor = new Actor()) {
			boolean flag = actor.call(() -> {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(LockInterruptedException.class)
					.isThrownBy(() -> this.provider.lock(lockConfig(LOCK_NAME1)));
				return Thread.currentThread().isInterrupted();
			});
			assertThat(flag).isTrue();
		}
		assertUnlocked(LOCK_NAME1);
	}

	@Test
	void servesShedLocksExecutorWithAnExtensionFromWithin() throws Throwable {
		LockConfiguration configuration = new LockConfiguration(ClockProvider.now(), LOCK_NAME1, LEASE, Duration.ZERO);
		var result = new DefaultLockingTaskExecutor(this.provider).executeWithLock(() -> {
			LockExtender.extendActiveLock(LONG, Duration.ZERO);
			assertThat(this.other.inspect(LOCK_NAME1).join().holders()).singleElement()
				.satisfies((seen) -> assertThat(seen.holder().remainingLease()).isGreaterThan(LEASE));
			return "done";
		}, configuration);
		assertThat(result.getResult()).isEqualTo("done");
		assertUnlocked(LOCK_NAME1);
	}

	@Test
	void excludesWhoeverTakesTheSameNameOtherwise() throws InterruptedException {
		try (LockHandle handle = this.other.acquire(LockRequest.of(LOCK_NAME1))) {
			assertThat(handle.isValid()).isTrue();
			assertThat(this.provider.lock(lockConfig(LOCK_NAME1))).isEmpty();
		}
	}

	@Test
	void showsItsLocksUnderOneGroup() {
		SimpleLock lock = take(LONG, Duration.ZERO);
		assertThat(this.registry.held()).singleElement().satisfies((held) -> {
			assertThat(held.name()).isEqualTo(LOCK_NAME1);
			assertThat(held.metricName()).isEqualTo("shedlock");
		});
		lock.unlock();
	}

	private static Duration elapsed(long start) {
		return Duration.ofNanos(System.nanoTime() - start);
	}

}
