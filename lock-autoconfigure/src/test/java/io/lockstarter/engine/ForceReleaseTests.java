package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockstarter.contract.Actor;
import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of taking a lock away when the backend fails, or does not answer.
 */
class ForceReleaseTests {

	private final ScriptedBackend backend = new ScriptedBackend();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), EngineTests.LEASE, null, false, 0), List.of());

	private final Actor actor = new Actor();

	@AfterEach
	void close() {
		this.registry.close();
		this.actor.dismiss();
	}

	@Test
	void tellsThatNobodyAnswersWhoHasTheLock() {
		this.backend.occupancy = new CompletableFuture<>();
		assertFailure(() -> this.registry.forceRelease("name"), Reason.TIMEOUT, "command timeout");
		assertThat(this.backend.releases).isEmpty();
	}

	@Test
	void tellsOfAFailureWhereItIsCalled() {
		IllegalStateException origin = new IllegalStateException("origin");
		LockBackendException planted = new LockBackendException("name", Reason.READ_ONLY, "planted", origin);
		this.backend.occupancy = CompletableFuture.failedFuture(planted);
		LockBackendException failure = assertFailure(() -> this.registry.forceRelease("name"), Reason.READ_ONLY,
				"planted");
		assertThat(failure).isNotSameAs(planted).cause().isSameAs(origin);
		assertThat(failure.mayHaveRun()).isFalse();
	}

	@Test
	void tellsThatItIsNotKnownWhetherTheLockWasTakenAway() {
		readers("first");
		LockBackendException failure = assertFailure(() -> this.registry.forceRelease("name"), Reason.TIMEOUT,
				"command timeout");
		assertThat(failure.mayHaveRun()).isTrue();
		assertThat(this.backend.released().command().intent()).isEqualTo(Intent.FORCE);
	}

	@ParameterizedTest
	@EnumSource(names = { "TIMEOUT", "READ_ONLY" })
	void namesReleasedHoldersBeforeItFailed(Reason reason) {
		readers("first", "second", "third");
		Future<LockBackendException> failure = this.actor
			.ask(() -> assertFailure(() -> this.registry.forceRelease("name"), reason,
					"planted, after the lock was force-released from first, second"));
		this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
		this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
		this.backend.released().fail(reason);
		assertThat(Actor.resultOf(failure).mayHaveRun()).isTrue();
	}

	private void readers(String... labels) {
		this.backend.occupancy = CompletableFuture.completedFuture(new LockBackend.CurrentHolders(List.of(labels)
			.stream()
			.map((label) -> new LockBackend.CurrentHolder(new TenureId("f".repeat(32), label.length()),
					new Holder(label, Duration.ZERO, EngineTests.LEASE), 1))
			.toList(), LockBackend.WaitQueue.EMPTY));
	}

	private static LockBackendException assertFailure(Runnable action, Reason reason, String detail) {
		return assertThatExceptionOfType(LockBackendException.class).isThrownBy(action::run).satisfies((failure) -> {
			assertThat(failure.reason()).isEqualTo(reason);
			assertThat(failure.detail()).isEqualTo(detail);
		}).actual();
	}

}
