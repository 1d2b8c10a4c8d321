package io.lockstarter.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;

import io.lockstarter.contract.Actor;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.engine.lock.Hold;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A release that the backend carries out late, when it does not know the lock any more.
 * What counts is whether the lease protected the holder until the release began.
 */
class LateReleaseTests {

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Told told = new Told();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), EngineTests.LEASE, null, false, 0), List.of(this.told));

	private final Actor actor = new Actor();

	@AfterEach
	void close() {
		this.registry.close();
		this.actor.dismiss();
	}

	@ParameterizedTest
	@EnumSource
	void returnsNormallyWhenTheLeaseEndedAfterTheReleaseBegan(LockType type) {
		LockHandle handle = granted(LockRequest.of("name").type(type));
		CompletableFuture<?> released = handle.releaseAsync().toCompletableFuture();
		answerAfterTheLease(handle);
		assertThatCode(() -> Actor.resultOf(released)).doesNotThrowAnyException();
		assertUnconfirmed("released name", "unconfirmed name");
	}

	@ParameterizedTest
	@EnumSource
	void isALossWhenTheLeaseStillRanAsTheAnswerCame(LockType type) {
		LockHandle handle = granted(LockRequest.of("name").type(type));
		CompletableFuture<?> released = handle.releaseAsync().toCompletableFuture();
		this.backend.released().answer(Outcome.NOT_HELD);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Actor.resultOf(released));
		assertLost(LockLoss.Reason.NOT_OWNED);
	}

	@Test
	void returnsNormallyFromUnlock() {
		NamedLock lock = this.registry.get("name");
		Future<?> locked = this.actor.begin(lock::lock);
		this.backend.asked().grant(1);
		Actor.resultOf(locked);
		LockHandle handle = this.told.lastAcquired();
		Future<?> unlocked = this.actor.begin(lock::unlock);
		ScriptedBackend.Give release = this.backend.released();
		endLease(handle);
		release.answer(Outcome.NOT_HELD);
		assertThatCode(() -> Actor.resultOf(unlocked)).doesNotThrowAnyException();
		assertUnconfirmed("released name", "unconfirmed name");
	}

	@Test
	void keepsTheResultOfWorkThatWasProtectedToItsEnd() {
		Future<String> result = this.actor.ask(() -> this.registry.execute(LockRequest.of("name"), () -> "done"));
		this.backend.asked().grant(1);
		ScriptedBackend.Give release = this.backend.released();
		endLease(this.told.lastAcquired());
		release.answer(Outcome.NOT_HELD);
		assertThat(Actor.resultOf(result)).isEqualTo("done");
		assertUnconfirmed("released name", "unconfirmed name");
	}

	@Test
	void returnsNormallyFromTheReleaseOfSeveralLocks() {
		Future<LockHandle> locked = this.actor
			.ask(() -> this.registry.acquireAll(List.of(LockRequest.of("a"), LockRequest.of("b"))));
		this.backend.asked().grant(1);
		this.backend.asked().grant(1);
		LockHandle both = Actor.resultOf(locked);
		Future<?> released = this.actor.begin(both::close);
		ScriptedBackend.Give first = this.backend.released();
		ScriptedBackend.Give second = this.backend.released();
		both.parts().forEach(LateReleaseTests::endLease);
		first.answer(Outcome.NOT_HELD);
		second.answer(Outcome.NOT_HELD);
		assertThatCode(() -> Actor.resultOf(released)).doesNotThrowAnyException();
		assertUnconfirmed("released b", "unconfirmed b", "released a", "unconfirmed a");
	}

	private LockHandle granted(LockRequest request) {
		CompletableFuture<LockHandle> future = this.registry.acquireAsync(request);
		this.backend.asked().grant(1);
		return Actor.resultOf(future);
	}

	private void answerAfterTheLease(LockHandle handle) {
		ScriptedBackend.Give release = this.backend.released();
		endLease(handle);
		release.answer(Outcome.NOT_HELD);
	}

	/** As if time had passed. */
	static void endLease(LockHandle handle) {
		Hold hold = (Hold) ReflectionTestUtils.getField(handle, "hold");
		Moment past = Moment.now(InstantSource.system()).plus(Duration.ofMinutes(-1));
		ReflectionTestUtils.setField(hold.lease(), "lease", Lease.of(past, Duration.ofSeconds(30)));
	}

	private void assertUnconfirmed(String... events) {
		await().untilAsserted(() -> assertThat(this.told.events).containsExactly(events));
		assertThat(this.told.causes).allSatisfy((cause) -> assertThat(cause).isInstanceOf(LockBackendException.class)
			.hasMessageContaining("after the lease had expired"));
	}

	private void assertLost(LockLoss.Reason reason) {
		await().untilAsserted(() -> assertThat(this.told.events).containsExactly("lost name " + reason));
	}

	/**
	 * Remembers how holds ended.
	 */
	private static final class Told implements LockListener {

		private final List<String> events = new CopyOnWriteArrayList<>();

		private final List<Throwable> causes = new CopyOnWriteArrayList<>();

		private final List<LockHandle> acquired = new CopyOnWriteArrayList<>();

		LockHandle lastAcquired() {
			return this.acquired.get(this.acquired.size() - 1);
		}

		@Override
		public void acquired(LockHandle lock, Duration waited) {
			this.acquired.add(lock);
		}

		@Override
		public void released(LockHandle lock, Duration held) {
			this.events.add("released " + lock.name());
		}

		@Override
		public void releaseUnconfirmed(LockHandle lock, Throwable cause) {
			this.events.add("unconfirmed " + lock.name());
			this.causes.add(cause);
		}

		@Override
		public void lost(LockLoss loss) {
			this.events.add("lost " + loss.name() + " " + loss.reason());
		}

	}

}
