package io.lockstarter.adapter;

import java.time.Duration;
import java.util.Optional;

import io.lockstarter.contract.Actor;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
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
	public void shouldTimeout() throws InterruptedException {
		doTestTimeout(Duration.ofMillis(500));
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
		Duration atLeast = Duration.ofSeconds(1);
		long start = System.nanoTime();
		SimpleLock lock = take(LONG, atLeast);
		lock.unlock();
		assertThat(elapsed(start)).as("time to lock and unlock").isLessThan(atLeast);
		await().pollInterval(Duration.ofMillis(10)).until(() -> freeForOthers(LOCK_NAME1));
		assertThat(elapsed(start)).isBetween(atLeast, atLeast.plusSeconds(2));
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void losesNothingThatIsHeldForAsLongAtLeastAsAtMost() {
		Duration time = Duration.ofSeconds(2);
		long start = System.nanoTime();
		take(time, time).unlock();
		await().pollInterval(Duration.ofMillis(10)).until(() -> freeForOthers(LOCK_NAME1));
		assertThat(elapsed(start)).isGreaterThan(time);
		await().until(() -> this.registry.heldCount() == 0);
		assertThat(this.instances.losses).isEmpty();
	}

	@Test
	void countsTheLeastTimeFromTheExtension() {
		SimpleLock lock = take(LONG, Duration.ZERO);
		SimpleLock extended = lock.extend(LONG, Duration.ofSeconds(1)).orElseThrow();
		extended.unlock();
		assertLocked(LOCK_NAME1);
		await().until(() -> freeForOthers(LOCK_NAME1));
	}

	@Test
	void endsTheLockAtItsMostTimeThoughItIsNotUnlocked() {
		long start = System.nanoTime();
		take(Duration.ofSeconds(1), Duration.ZERO);
		assertLocked(LOCK_NAME1);
		await().pollInterval(Duration.ofMillis(10)).until(() -> freeForOthers(LOCK_NAME1));
		assertThat(elapsed(start)).isBetween(Duration.ofMillis(900), Duration.ofSeconds(3));
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
		LockConfiguration configuration = new LockConfiguration(ClockProvider.now(), LOCK_NAME1, Duration.ofSeconds(1),
				Duration.ZERO);
		var result = new DefaultLockingTaskExecutor(this.provider).executeWithLock(() -> {
			LockExtender.extendActiveLock(LONG, Duration.ZERO);
			sleepFor(Duration.ofMillis(1200));
			assertLocked(LOCK_NAME1);
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
			assertThat(held.group()).isEqualTo("shedlock");
		});
		lock.unlock();
	}

	private static Duration elapsed(long start) {
		return Duration.ofNanos(System.nanoTime() - start);
	}

}
