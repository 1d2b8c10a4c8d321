package io.lockstarter.observation;

import java.time.Duration;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.observation.SlowLockWarnings.Thresholds;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.lockstarter.observation.ObservedLocks.REQUEST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class SlowLockWarningsTests {

	private static final Duration LONG = Duration.ofMillis(200);

	private final ObservedLocks locks = new ObservedLocks();

	private @Nullable SlowLockWarnings warnings;

	private void warn(Thresholds thresholds) {
		this.warnings = new SlowLockWarnings(this.locks.registry(), thresholds);
		this.warnings.start();
	}

	@AfterEach
	void close() {
		if (this.warnings != null) {
			this.warnings.close();
		}
		this.locks.close();
	}

	private static long warnings(CapturedOutput output, String text) {
		return output.getAll().lines().filter((line) -> line.contains(text)).count();
	}

	@Test
	void warnsOfALockThatIsHeldForLongAndAgainWhenTheTimeHasDoubled(CapturedOutput output) throws Exception {
		warn(new Thresholds(null, LONG, false));
		try (LockHandle lock = this.locks.registry().acquire(REQUEST)) {
			String warning = "Lock 'ship:42' (OrderService.ship) has been held by %s for ".formatted(lock.owner());
			await().until(() -> warnings(output, warning) >= 1);
			assertThat(output).contains("longer than distributed-lock.warn.hold-time (200 ms)").doesNotContain("\tat ");
			await().until(() -> warnings(output, warning) >= 2);
		}
		long before = warnings(output, "has been held");
		try (LockHandle lock = this.locks.registry().acquire(REQUEST)) {
			await().until(() -> warnings(output, "has been held") > before);
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void warnsOnceForAllWhoWaitAndNamesTheHolder(CapturedOutput output) throws Exception {
		LockOwner first = LockOwner.create("first");
		LockRequest patient = REQUEST.waitTime(LockRequest.FOREVER);
		try (LockHandle lock = this.locks.other().acquire(REQUEST)) {
			this.locks.registry().acquireAsync(patient.owner(first));
			await().until(() -> this.locks.registry().waitingCount() == 1);
			this.locks.registry().acquireAsync(patient.owner(LockOwner.create("second")));
			await().until(() -> this.locks.registry().waitingCount() == 2);
			warn(new Thresholds(LONG, null, false));
			String warning = "Lock 'ship:42' (OrderService.ship) has kept %s waiting for ".formatted(first);
			await().until(() -> warnings(output, warning) >= 1);
			assertThat(output).contains("2 requests wait; held by other/" + lock.owner());
			assertThat(output).doesNotContain("has kept second");
		}
	}

	@Test
	void showsTheStackOfTheHolderIfAskedFor(CapturedOutput output) throws Exception {
		warn(new Thresholds(LONG, LONG, true));
		LockHandle lock = this.locks.registry().acquire(REQUEST);
		this.locks.registry().acquireAsync(REQUEST.waitTime(LockRequest.FOREVER).owner(LockOwner.create("task")));
		await().until(() -> warnings(output, "SlowLockWarningsTests.showsTheStackOfTheHolderIfAskedFor") >= 2);
		assertThat(output).contains("Held by thread " + Thread.currentThread().getName());
		lock.close();
	}

	@Test
	void showsTheStackOfTheThreadThatRunsUnderTheLockOfATask(CapturedOutput output) throws Exception {
		warn(new Thresholds(null, LONG, true));
		String method = "showsTheStackOfTheThreadThatRunsUnderTheLockOfATask";
		this.locks.registry().execute(REQUEST.owner(LockOwner.create("task")), () -> {
			await().pollInSameThread().until(() -> warnings(output, method) >= 1);
			return null;
		});
	}

	@Test
	void leavesWhatIsNotLongAlone(CapturedOutput output) throws Exception {
		warn(new Thresholds(Duration.ofMinutes(1), LONG, false));
		try (LockHandle slow = this.locks.registry().acquire(LockRequest.of("slow"))) {
			this.locks.registry().acquireAsync(LockRequest.of("slow").owner(LockOwner.create("task")));
			await().until(() -> warnings(output, "Lock 'slow'") >= 1);
			assertThat(slow.isValid()).isTrue();
			assertThat(output).doesNotContain("waiting for");
		}
	}

}
