package io.lockstarter.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockstarter.contract.Actor;
import io.lockstarter.contract.EngineInternals;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Held;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.engine.lock.Hold;
import io.lockstarter.engine.lock.LocalLock;
import io.lockstarter.engine.lock.Waiter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

/**
 * What the engine says to a backend, and what it makes of answers that come late, badly
 * or never: on a backend whose every answer the test gives.
 */
class EngineTests {

	static final Duration LEASE = Duration.ofSeconds(30);

	private static final OptionalLong PLACE = OptionalLong.of(1);

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Events events = new Events();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), LEASE, null, false, 0).handoverAge(LEASE),
			List.of(this.events));

	/** Shares the backend with the other one; opened when a test needs a short lease. */
	private @Nullable DefaultLockRegistry shortLived;

	private final Actor actor = new Actor();

	private final Actor another = new Actor();

	@AfterEach
	void close() {
		this.registry.close();
		if (this.shortLived != null) {
			this.shortLived.close();
		}
		this.actor.dismiss();
		this.another.dismiss();
	}

	@Test
	void tellsOfAReleaseOnTheThreadThatWaitsForIt() {
		List<Object> happened = new CopyOnWriteArrayList<>();
		try (DefaultLockRegistry observed = observed(new ReleaseListener(happened))) {
			Future<LockHandle> request = this.actor.ask(() -> observed.acquire(LockRequest.of("name")));
			this.backend.asked().grant(1);
			LockHandle held = Actor.resultOf(request);
			Future<?> release = this.actor.begin(() -> {
				held.close();
				happened.add("goes on");
			});
			this.backend.released().fail(Reason.UNREACHABLE);
			Actor.resultOf(release);
			assertThat(happened).containsExactly(this.actor.thread(), "unconfirmed", "goes on");
		}
	}

	@Test
	void tellsOfAReleaseBeforeItsFutureCompletes() {
		List<Object> happened = new CopyOnWriteArrayList<>();
		try (DefaultLockRegistry observed = observed(new ReleaseListener(happened))) {
			CompletableFuture<LockHandle> request = observed.acquireAsync(LockRequest.of("name"));
			this.backend.asked().grant(1);
			CompletableFuture<?> release = Actor.resultOf(request).releaseAsync().toCompletableFuture();
			assertThat(release).isNotDone();
			CompletableFuture<?> goneOn = release.thenRun(() -> happened.add("goes on"));
			this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
			Actor.resultOf(goneOn);
			assertThat(happened).hasSize(2).last().isEqualTo("goes on");
			assertThat(happened.get(0)).isInstanceOf(Thread.class).isNotEqualTo(Thread.currentThread());
		}
	}

	@Test
	void tellsOfTheReleaseOfALockThatNobodyWantsAnyMore() {
		List<Object> happened = new CopyOnWriteArrayList<>();
		AtomicReference<CompletableFuture<LockHandle>> request = new AtomicReference<>();
		ReleaseListener listener = new ReleaseListener(happened) {
			@Override
			public void acquired(LockHandle lock, Duration waited) {
				request.get().cancel(false);
			}
		};
		try (DefaultLockRegistry observed = observed(listener)) {
			request.set(observed.acquireAsync(LockRequest.of("name")));
			this.backend.asked().grant(1);
			this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
			await().until(() -> happened.size() == 1);
		}
	}

	private DefaultLockRegistry observed(LockListener listener) {
		return new DefaultLockRegistry(this.backend,
				new EngineSettings("two", Duration.ofSeconds(20), LEASE, null, false, 0), List.of(listener));
	}

	/** Otherwise the first of a cold JVM would always fail. */
	@Test
	void waitsForTheConnectionEvenForOneWhoDoesNotWaitForTheLock() {
		CompletableFuture<Object> connection = new CompletableFuture<>();
		this.backend.connection = connection;
		Future<Boolean> attempt = this.actor.ask(() -> lock().tryLock());
		awaitAsleep(this.actor);
		connection.complete("connected");
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(attempt)).isTrue();
		Future<?> unlocking = this.actor.begin(() -> lock().unlock());
		this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
		Actor.resultOf(unlocking);
	}

	private static void awaitAsleep(Actor waiting) {
		await().until(() -> LockSupport.getBlocker(waiting.thread()) instanceof Waiter);
	}

	@Test
	void neverUsesATenureAgainThatMayHaveEnded() {
		request();
		ScriptedBackend.Ask failed = this.backend.asked();
		failed.fail(Reason.UNREACHABLE);
		request();
		assertThat(this.backend.asked().command().tenure()).isNotEqualTo(failed.command().tenure());
	}

	@Test
	void asksAgainByItselfWhenTheHoldersLeaseHasEnded() {
		request();
		this.backend.asked().refuse(PLACE, Duration.ofMillis(100));
		this.backend.asked();
	}

	@Test
	void asksAgainByItselfAfterASecondWhenNoWakeUpComes() {
		request();
		long start = System.nanoTime();
		this.backend.asked().refuse(PLACE);
		this.backend.asked();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(800));
	}

	@Test
	void givesBackAGrantThatComesAfterAnInterrupt() {
		Future<?> request = this.actor.begin(() -> lock().lockInterruptibly());
		ScriptedBackend.Ask ask = this.backend.asked();
		this.actor.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(request));
		ask.grant(1);
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
	}

	@Test
	void asksAgainWhenALateCancellationMayHaveRemovedItsNewRegistration() {
		request();
		this.backend.asked().fail(Reason.UNREACHABLE);
		ScriptedBackend.Give cancellation = this.backend.released();
		request();
		this.backend.asked().refuse(PLACE);
		cancellation.answer(LockBackend.Release.Outcome.NOT_HELD);
		assertThat(this.backend.asks).as("asked at once, not by the re-check of each second").hasSize(1);
	}

	@Test
	void asksAgainWhenALateWithdrawalMayHaveRemovedItsNewRegistration() {
		CompletableFuture<LockHandle> old = request();
		this.backend.asked().refuse(PLACE);
		await().until(() -> this.registry.waiting().size() == 1);
		old.cancel(false);
		ScriptedBackend.Give withdrawal = this.backend.released();
		request();
		this.backend.asked().refuse(PLACE);
		withdrawal.answer(LockBackend.Release.Outcome.NOT_HELD);
		assertThat(this.backend.asks).as("asked at once, not by the re-check of each second").hasSize(1);
	}

	@Test
	void handsOnAWakeUpForALockThatNobodyWaitsFor() {
		this.backend.wake();
		assertThat(this.backend.released().command().name()).isEqualTo("name");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a message", "missed messages", "silence" })
	void yieldsAfterALongHoldToOthersWhoMayNotBeHeard(String toldBy) {
		LockHandle handle = granted();
		request();
		await().pollDelay(Duration.ofMillis(20)).until(handle::isValid);
		switch (toldBy) {
			case "a message" -> this.backend.wanted();
			case "missed messages" -> this.backend.wakeAll();
			default -> this.backend.listening = false;
		}
		handle.releaseAsync();
		assertThat(this.backend.released().command().intent()).isEqualTo(Intent.YIELD);
	}

	@Test
	void asksForTheNextAlongWithTheRelease() {
		this.backend.ordered = true;
		LockHandle handle = granted();
		CompletableFuture<LockHandle> next = request();
		handle.releaseAsync();
		assertThat(this.backend.released().command().intent()).isEqualTo(Intent.RETURN);
		this.backend.asked().grant(1000);
		assertThat(Actor.resultOf(next).isValid()).isTrue();
	}

	@Test
	void wakesOthersWhenItDoesNotReturnAfterAll() {
		LockHandle first = granted();
		CompletableFuture<LockHandle> second = request();
		first.releaseAsync();
		ScriptedBackend.Give release = this.backend.released();
		assertThat(release.command().intent()).isEqualTo(Intent.RETURN);
		second.cancel(false);
		release.answer(LockBackend.Release.Outcome.RELEASED);
		ScriptedBackend.Give wakeUp = this.backend.released();
		assertThat(wakeUp.command().tenure().sequence()).as("hands the lock on").isZero();
		wakeUp.answer(LockBackend.Release.Outcome.NOT_HELD);
		assertForgotten();
	}

	@Test
	void endsTheTenureOfAnAcquireThatWasNotAnsweredInTime() {
		LockRequest request = LockRequest.of("name").leaseTime(Duration.ofMillis(300));
		Future<?> failing = this.actor.begin(() -> this.registry.acquire(request));
		ScriptedBackend.Ask ask = this.backend.asked();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(failing))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT));
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
		assertThat(this.events.acquired).isEmpty();
	}

	/** Nothing is known of what has become of it. */
	@Test
	void endsTheTenureOfAnAcquireWhoseFailureIsOfAnUnknownKind() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = this.backend.asked();
		ask.reply().completeExceptionally(new IllegalStateException("planted"));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(request))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.OTHER));
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
	}

	/** Otherwise nobody would look for the cause of such a timeout in the lease. */
	@Test
	void saysThatAShortLeaseShortensTheTimeout() {
		LockRequest request = LockRequest.of("name").leaseTime(Duration.ofMillis(600));
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> Actor.resultOf(this.registry.acquireAsync(request)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT))
			.withMessageContaining("command timeout (100 ms, a sixth of the lease time");
	}

	@Test
	void saysInOneLineWhyTheEndOfATenureWasNotConfirmed() {
		Logger logger = (Logger) LoggerFactory.getLogger(Commands.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.list = new CopyOnWriteArrayList<>();
		log.start();
		logger.addAppender(log);
		logger.setLevel(Level.WARN);
		try {
			LockRequest request = LockRequest.of("name").leaseTime(Duration.ofMillis(100));
			Future<?> failing = this.actor.begin(() -> this.registry.acquire(request));
			ScriptedBackend.Ask ask = this.backend.asked();
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(failing));
			this.backend.released();
			String end = "Lock 'name': the release of tenure %s was not confirmed before the lease expired: TIMEOUT (command timeout)"
				.formatted(ask.command().tenure());
			await().untilAsserted(() -> assertThat(log.list).filteredOn((line) -> line.getMessage().equals(end))
				.singleElement()
				.extracting(ILoggingEvent::getThrowableProxy)
				.isNull());
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(log);
		}
	}

	@Test
	void failsOnlyTheThreadWhoseShortLeaseMakesTheCommandTimeOut() {
		Future<LockHandle> brief = this.actor
			.ask(() -> this.registry.acquire(LockRequest.of("name").leaseTime(Duration.ofMillis(100))));
		this.backend.asked();
		CompletableFuture<LockHandle> other = request();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(brief));
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(other).isValid()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READ")
	void refusesWhatTheBackendCannotServeBeforeItQueues(LockType type) {
		granted();
		CompletableFuture<LockHandle> waiting = request();
		this.backend.longestLease = Duration.ofMinutes(10);
		LockRequest request = LockRequest.of("name").type(type).leaseTime(Duration.ofMinutes(11));
		for (Future<LockHandle> refused : List.of(this.registry.acquireAsync(request),
				this.actor.ask(() -> this.registry.acquire(request)))) {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(refused))
				.withMessageContaining("name")
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.NOT_SUPPORTED));
		}
		assertThat(this.registry.waitingCount()).isOne();
		assertThat(waiting).isNotDone();
	}

	/** Too much is excluded until the backend confirms it, never too little. */
	@Test
	void handsAWriteLockToNobodyUntilItsHolderMayReadOn() {
		LockRequest request = LockRequest.of("name").type(LockType.WRITE).owner(LockOwner.create("writer"));
		LockHandle write = granted(request);
		LockHandle read = Actor.resultOf(this.registry.acquireAsync(request.type(LockType.READ)));
		write.releaseAsync();
		ScriptedBackend.Give downgrade = this.backend.released();
		assertThat(downgrade.command().intent()).isEqualTo(Intent.DOWNGRADE);
		CompletableFuture<LockHandle> other = this.registry.acquireAsync(LockRequest.of("name").type(LockType.READ));
		downgrade.fail(Reason.TIMEOUT);
		ScriptedBackend.Give again = this.backend.released();
		assertThat(again.command()).isEqualTo(downgrade.command());
		assertThat(other).isNotDone();
		again.answer(LockBackend.Release.Outcome.RELEASED);
		assertThat(Actor.resultOf(other).fencingToken()).isGreaterThan(read.fencingToken());
		// That the writer reads is told as well.
		await().until(() -> this.events.acquired.size() == 3 && this.events.released.size() == 1);
	}

	@Test
	void givesBackWhatItHasTakenOfSeveralIfTheNextCannotBeAskedFor() {
		CompletableFuture<LockHandle> all = this.registry
			.acquireAllAsync(List.of(LockRequest.of("a"), LockRequest.of("b").leaseTime(Duration.ofMillis(1))));
		ScriptedBackend.Ask first = this.backend.asked();
		first.grant(1);
		ScriptedBackend.Give given = this.backend.released();
		assertThat(given.command().tenure()).isEqualTo(first.command().tenure());
		given.answer(LockBackend.Release.Outcome.RELEASED);
		assertThatIllegalArgumentException().isThrownBy(() -> Actor.resultOf(all))
			.withMessageContaining("lease time of lock 'b'");
	}

	@Test
	void givesBackWhatItHasTakenOfSeveralForAThread() {
		LockOwner thread = LockOwner.currentThread();
		CompletableFuture<LockHandle> all = this.registry
			.acquireAllAsync(List.of(LockRequest.of("a").owner(thread), LockRequest.of("b").owner(thread)));
		this.backend.asked().grant(1);
		this.backend.asked().fail(Reason.NOT_AUTHORIZED);
		ScriptedBackend.Give given = this.backend.released();
		assertThat(given.command().name()).isEqualTo("a");
		given.answer(LockBackend.Release.Outcome.RELEASED);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(all))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void givesBackWhatItHasTakenOfSeveralForAnotherThread() {
		LockOwner thread = LockOwner.currentThread();
		Future<?> all = this.actor.begin(() -> this.registry
			.acquireAll(List.of(LockRequest.of("a").owner(thread), LockRequest.of("b").owner(thread))));
		this.backend.asked().grant(1);
		this.backend.asked().fail(Reason.NOT_AUTHORIZED);
		ScriptedBackend.Give given = this.backend.released();
		assertThat(given.command().name()).isEqualTo("a");
		assertThat(all).as("before the release is answered").isNotDone();
		given.answer(LockBackend.Release.Outcome.RELEASED);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(all))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void tellsAlongWithAFailureThatWhatItHasTakenOfSeveralWasLost() {
		CompletableFuture<LockHandle> all = this.registry
			.acquireAllAsync(List.of(LockRequest.of("a"), LockRequest.of("b")));
		this.backend.asked().grant(1);
		this.backend.asked().fail(Reason.NOT_AUTHORIZED);
		this.backend.released().answer(LockBackend.Release.Outcome.NOT_HELD);
		assertLossIsToldAlong(all);
	}

	@Test
	void tellsAThreadAlongWithAFailureThatWhatItHasTakenOfSeveralWasLost() {
		Future<?> all = this.actor
			.begin(() -> this.registry.acquireAll(List.of(LockRequest.of("a"), LockRequest.of("b"))));
		this.backend.asked().grant(1);
		this.backend.asked().fail(Reason.NOT_AUTHORIZED);
		this.backend.released().answer(LockBackend.Release.Outcome.NOT_HELD);
		assertLossIsToldAlong(all);
	}

	private static void assertLossIsToldAlong(Future<?> all) {
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(all))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement()
				.satisfies((told) -> assertThat(NestedExceptionUtils.getMostSpecificCause(told))
					.isInstanceOf(LockLostException.class)));
	}

	@Test
	void givesBackTheOthersOfSeveralIfTheirOwnerHasReleasedOne() {
		LockOwner owner = LockOwner.create("task");
		CompletableFuture<LockHandle> all = this.registry.acquireAllAsync(
				List.of(LockRequest.of("a").owner(owner), LockRequest.of("b").owner(owner), LockRequest.of("c")));
		this.backend.asked().grant(1);
		this.backend.asked().grant(2);
		ScriptedBackend.Ask last = this.backend.asked();
		Future<?> unlocking = this.actor.begin(() -> this.registry.get(LockRequest.of("b").owner(owner)).unlock());
		this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
		Actor.resultOf(unlocking);
		last.fail(Reason.NOT_AUTHORIZED);
		ScriptedBackend.Give given = this.backend.released();
		assertThat(given.command().name()).isEqualTo("a");
		given.answer(LockBackend.Release.Outcome.RELEASED);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(all));
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void givesBackAllOfSeveralThatAreCancelledWhenTheLastIsTaken() {
		CompletableFuture<LockHandle> all = this.registry
			.acquireAllAsync(List.of(LockRequest.of("a").leaseTime(LEASE), LockRequest.of("b").leaseTime(LEASE)));
		this.backend.asked().grant(1);
		this.backend.asked().grant(2);
		ScriptedBackend.Renewal extension = this.backend.renewed();
		all.cancel(false);
		extension.answer(true);
		assertThat(List.of(this.backend.released(), this.backend.released()))
			.extracting((given) -> given.command().name())
			.containsExactly("b", "a");
	}

	@Test
	void withdrawsWhatItJustAsksForWhenSeveralLocksAreCancelled() {
		CompletableFuture<LockHandle> all = this.registry
			.acquireAllAsync(List.of(LockRequest.of("a"), LockRequest.of("b")));
		ScriptedBackend.Ask first = this.backend.asked();
		this.backend.onAsk = () -> all.cancel(false);
		first.grant(1);
		assertThat(this.backend.asked().command().name()).isEqualTo("b");
		assertThat(this.backend.released().command().name()).isEqualTo("a");
		assertThat(this.registry.waitingCount()).isZero();
	}

	@Test
	void doesNotWaitForTheReleasesWhenSeveralLocksAreCancelled() {
		CompletableFuture<LockHandle> all = this.registry
			.acquireAllAsync(List.of(LockRequest.of("a"), LockRequest.of("b")));
		this.backend.asked().grant(1);
		this.backend.asked();
		all.cancel(false);
		ScriptedBackend.Give given = this.backend.released();
		assertThat(given.command().name()).isEqualTo("a");
		given.answer(LockBackend.Release.Outcome.RELEASED);
		await().until(() -> this.registry.heldCount() == 0);
		assertThat(this.backend.releases).as("releases that were repeated after a timeout").isEmpty();
	}

	@Test
	void endsATenureOfUnknownStateAgainAndAgainUntilTheBackendConfirmsIt() {
		CompletableFuture<LockHandle> request = request();
		this.backend.asked().fail(Reason.UNREACHABLE);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(request));
		for (int i = 0; i < 3; i++) {
			this.backend.released().fail(Reason.UNREACHABLE);
		}
		this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
		await().during(Duration.ofMillis(500)).until(this.backend.releases::isEmpty);
		assertForgotten();
	}

	@Test
	void losesTheLockAtOnceWhenARenewalFindsAnotherHolder() {
		LockHandle handle = granted(LockRequest.of("name"), Duration.ofMillis(600));
		this.backend.renewed().answer(false);
		await().until(() -> this.events.losses.size() == 1);
		assertThat(this.events.losses.get(0).reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
		assertThat(handle.isValid()).isFalse();
	}

	/** What it does next tells it. */
	@Test
	void doesNotInterruptTheThreadThatFindsTheLossItself() {
		EngineSettings settings = new EngineSettings("interrupting", Duration.ofSeconds(20), Duration.ofSeconds(12),
				null, true, 0);
		try (var registry = new DefaultLockRegistry(this.backend, settings, List.of(this.events))) {
			Future<LockHandle> request = this.actor.ask(() -> registry.acquire(LockRequest.of("name")));
			this.backend.asked().grant(1);
			LockHandle handle = Actor.resultOf(request);
			ScriptedBackend.Renewal renewal = this.backend.renewed();
			assertThat(this.actor.<Boolean>call(() -> {
				renewal.answer(false);
				return Thread.interrupted();
			})).isFalse();
			assertThat(handle.isValid()).isFalse();
		}
	}

	@Test
	void repeatsAFailedRenewalUntilItSucceeds() {
		LockHandle handle = granted(LockRequest.of("name"), Duration.ofSeconds(1));
		this.backend.renewed().fail(Reason.UNREACHABLE);
		this.backend.renewed().fail(Reason.READ_ONLY);
		assertThat(this.shortLived.held()).extracting(Held::renewal).containsExactly(LockMonitor.RenewalState.FAILING);
		assertThat(this.shortLived.health().join().up()).isFalse();
		this.backend.renewed().answer(true);
		await().until(() -> handle.remainingLease().toMillis() > 700);
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void countsTheLeaseFromBeforeTheQuestion() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = this.backend.asked();
		long asked = System.nanoTime();
		await().until(() -> System.nanoTime() - asked > 200_000_000);
		ask.grant(1);
		assertThat(deadlineOf(Actor.resultOf(request)) - asked)
			.isLessThanOrEqualTo(Lease.of(Moment.now(InstantSource.system()), LEASE).usableNanos());
	}

	@Test
	void countsARenewedLeaseFromBeforeTheRenewal() {
		Duration lease = Duration.ofSeconds(3);
		LockHandle handle = granted(LockRequest.of("name"), lease);
		ScriptedBackend.Renewal renewal = this.backend.renewed();
		long asked = System.nanoTime();
		await().until(() -> System.nanoTime() - asked > 200_000_000);
		renewal.answer(true);
		await().until(() -> handle.remainingLease().toMillis() > 2200);
		assertThat(deadlineOf(handle) - asked)
			.isLessThanOrEqualTo(Lease.of(Moment.now(InstantSource.system()), lease).usableNanos());
	}

	/** A little earlier than it is, if anything. */
	private static long deadlineOf(LockHandle handle) {
		return System.nanoTime() + handle.remainingLease().toNanos();
	}

	@Test
	void tellsListenersThatARequestTriesOnceByDefault() {
		List<LockRequest> refused = new CopyOnWriteArrayList<>();
		LockListener listener = new LockListener() {

			@Override
			public void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
				refused.add(request);
			}

		};
		try (DefaultLockRegistry hasty = new DefaultLockRegistry(this.backend,
				new EngineSettings("hasty", Duration.ZERO, LEASE, null, false, 0), List.of(listener))) {
			hasty.acquireAsync(LockRequest.of("name"));
			this.backend.asked().refuse(OptionalLong.empty());
			await().until(() -> refused.size() == 1);
			assertThat(refused.get(0).waitTime()).isZero();
		}
	}

	@Test
	void losesTheLockAtItsDeadlineWhenNoRenewalIsAnswered() {
		Duration lease = Duration.ofMillis(600);
		LockHandle handle = granted(LockRequest.of("name"), lease);
		await().until(() -> this.events.losses.size() == 1);
		LockLoss loss = this.events.losses.get(0);
		assertThat(loss.reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(loss.heldFor()).isPositive().isLessThanOrEqualTo(lease);
		assertThat(this.backend.renewals.size()).as("attempts").isBetween(1, 10);
		assertThat(handle.isValid()).isFalse();
	}

	/** One that sends a mail for each loss may take a minute for all of them. */
	@Test
	void endsWhatObservesALostHoldWhileAListenerIsBusy() {
		CompletableFuture<Boolean> sent = new CompletableFuture<>();
		LockListener slow = new LockListener() {

			@Override
			public void lost(LockLoss loss) {
				sent.join();
			}

		};
		LockObserver observer = mock();
		LockObserver.Wait wait = mock();
		LockObserver.Span span = mock();
		given(observer.requested(any())).willReturn(wait);
		given(wait.acquired(any())).willReturn(span);
		EngineSettings settings = new EngineSettings("slow", Duration.ZERO, LEASE, null, false, 0);
		try (var registry = new DefaultLockRegistry(this.backend, settings, List.of(slow), List.of(observer))) {
			for (String name : List.of("first", "second")) {
				var acquired = registry.acquireAsync(LockRequest.of(name).leaseTime(Duration.ofMillis(200)));
				this.backend.asked().grant(1);
				Actor.resultOf(acquired);
			}
			verify(span, timeout(10_000).times(2)).lost(any());
		}
		finally {
			sent.complete(true);
		}
	}

	@Test
	void survivesABackendThatThrowsInsteadOfAnswering() {
		LockHandle handle = granted(LockRequest.of("name"), Duration.ofMillis(900));
		this.backend.throwing = true;
		await().until(() -> this.backend.thrown > 0);
		this.backend.throwing = false;
		this.backend.renewed().answer(true);
		assertThat(handle.isValid()).isTrue();
	}

	@Test
	void failsARequestWhenTheBackendThrowsInsteadOfAnswering() {
		this.backend.throwing = true;
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> this.actor.run(() -> lock().lock()));
		this.backend.throwing = false;
		Future<Boolean> next = this.another.ask(() -> lock().tryLock());
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(next)).isTrue();
	}

	@Test
	void renewsLocksThatAreDueTogetherInOneBatch() {
		for (int i = 0; i < 20; i++) {
			granted(LockRequest.of("name-" + i), Duration.ofSeconds(6));
		}
		await().until(() -> this.backend.renewals.size() >= 20);
		assertThat(this.backend.batches).isLessThan(20);
	}

	@Test
	void tellsALossFromAReleaseWhileALeaseIsBeingExtended() {
		LockHandle lost = granted();
		Future<?> extending = this.actor.begin(() -> lost.extend(LEASE));
		this.backend.renewed().answer(false);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Actor.resultOf(extending));
		assertThat(lost.isValid()).isFalse();
	}

	@Test
	void tellsOfTheReleaseByAnotherThreadWhileALeaseIsBeingExtended() {
		LockHandle handle = granted();
		Future<?> extending = this.actor.begin(() -> handle.extend(LEASE));
		ScriptedBackend.Renewal verdict = this.backend.renewed();
		handle.releaseAsync();
		verdict.answer(false);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> Actor.resultOf(extending));
	}

	@Test
	void doesNotPretendToHaveExtendedALockThatWasLostMeanwhile() {
		LockHandle handle = granted();
		Future<?> extending = this.actor.begin(() -> handle.extend(LEASE));
		ScriptedBackend.Renewal verdict = this.backend.renewed();
		Hold hold = (Hold) ReflectionTestUtils.getField(handle, "hold");
		LocalLock lock = hold.lock();
		lock.lose(lock.tenureOf(hold), LockLoss.Reason.LEASE_EXPIRED);
		verdict.answer(true);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Actor.resultOf(extending));
		assertThat(this.backend.released().command().tenure()).as("not kept by the reply")
			.isEqualTo(verdict.command().tenure());
	}

	@Test
	void keepsTheOldLeaseWhenAnExtensionIsNotConfirmed() {
		LockHandle handle = granted();
		Future<?> extending = this.actor.begin(() -> handle.extend(LEASE.multipliedBy(2)));
		this.backend.renewed().fail(Reason.TIMEOUT);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(extending))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT));
		assertThat(handle.isValid()).isTrue();
		assertThat(handle.remainingLease()).isLessThan(LEASE);
	}

	@Tag("stress")
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void endsAnExtendedTenureAgainAndAgainAfterItsFirstLease(boolean confirmed) {
		LockHandle handle = granted(LockRequest.of("name").leaseTime(Duration.ofMillis(1500)));
		Future<?> extending = this.actor.begin(() -> handle.extend(LEASE));
		ScriptedBackend.Renewal extension = this.backend.renewed();
		if (confirmed) {
			extension.answer(true);
			Actor.resultOf(extending);
		}
		else {
			// The reply may be all that is lost.
			extension.fail(Reason.TIMEOUT);
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(extending));
		}
		long start = System.nanoTime();
		handle.releaseAsync();
		while (System.nanoTime() - start < Duration.ofMillis(1500).toNanos()) {
			this.backend.released().fail(Reason.READ_ONLY);
		}
		this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
	}

	@Test
	void givesBackAGrantThatArrivesAfterShutdown() throws InterruptedException {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = this.backend.asked();
		assertThat(this.registry.shutdown(Duration.ZERO)).as("settled while a question is open").isFalse();
		ask.grant(1);
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
		await().until(request::isCompletedExceptionally);
		assertThat(this.events.acquired).isEmpty();
	}

	@Test
	void writesOneHoldCountAtATimeAndTheLatestInTheEnd() {
		LockOwner owner = LockOwner.create("task");
		NamedLock lock = this.registry.get(LockRequest.of("name").owner(owner));
		Future<?> first = this.actor.begin(lock::lock);
		this.backend.asked().grant(1);
		Actor.resultOf(first);
		lock.lock();
		ScriptedBackend.Renewal write = this.backend.renewed();
		assertThat(write.command().holds()).isEqualTo(2);
		assertThat(write.command().lease()).as("leaves the lease").isZero();
		for (int i = 0; i < 9; i++) {
			lock.lock();
		}
		await().during(Duration.ofMillis(20)).until(this.backend.renewals::isEmpty);
		write.answer(true);
		assertThat(this.backend.renewed().command().holds()).isEqualTo(11);
	}

	@Test
	void leavesNoTimerBehindAfterAShortHold() {
		var released = granted().releaseAsync();
		this.backend.released().answer(LockBackend.Release.Outcome.RELEASED);
		assertThat(released).succeedsWithin(Actor.PATIENCE);
		assertThat(EngineInternals.timers(this.registry)).isZero();
		assertThat(this.backend.renewals).isEmpty();
	}

	@Test
	void writesNoCountThatChangesBackAtOnce() {
		NamedLock lock = lock();
		Future<?> first = this.actor.begin(lock::lock);
		this.backend.asked().grant(1);
		Actor.resultOf(first);
		this.actor.run(() -> {
			for (int i = 0; i < 100; i++) {
				lock.lock();
				lock.unlock();
			}
		});
		assertThat(this.backend.renewals.size()).as("writes").isLessThan(10);
	}

	private NamedLock lock() {
		return this.registry.get("name");
	}

	private CompletableFuture<LockHandle> request() {
		return this.registry.acquireAsync(LockRequest.of("name"));
	}

	private LockHandle granted() {
		return granted(LockRequest.of("name"));
	}

	private LockHandle granted(LockRequest request) {
		CompletableFuture<LockHandle> future = this.registry.acquireAsync(request);
		this.backend.asked().grant(1);
		return Actor.resultOf(future);
	}

	private LockHandle granted(LockRequest request, Duration lease) {
		if (this.shortLived == null) {
			this.shortLived = new DefaultLockRegistry(this.backend,
					new EngineSettings("short", Duration.ofSeconds(20), lease, null, false, 0), List.of(this.events));
		}
		CompletableFuture<LockHandle> future = this.shortLived.acquireAsync(request);
		this.backend.asked().grant(1);
		return Actor.resultOf(future);
	}

	private void assertForgotten() {
		await().untilAsserted(() -> {
			assertThat(EngineInternals.places(this.registry)).isZero();
			assertThat(EngineInternals.timers(this.registry)).isZero();
			assertThat(this.registry.waitingCount()).isZero();
			assertThat(this.registry.heldCount()).isZero();
		});
	}

	/**
	 * Writes down which thread tells of a release.
	 */
	private static class ReleaseListener implements LockListener {

		private final List<Object> happened;

		ReleaseListener(List<Object> happened) {
			this.happened = happened;
		}

		@Override
		public void released(LockHandle lock, Duration held) {
			this.happened.add(Thread.currentThread());
		}

		@Override
		public void releaseUnconfirmed(LockHandle lock, Throwable cause) {
			this.happened.add("unconfirmed");
		}

	}

}
