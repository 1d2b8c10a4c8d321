package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Releases that are sent, and whose replies no thread waits for.
 */
class SentReleaseTests {

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Events events = new Events();

	private final List<String> unconfirmed = new CopyOnWriteArrayList<>();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), EngineTests.LEASE, null, false, 64).sendReleases(),
			List.of(this.events, new LockListener() {

				@Override
				public void releaseUnconfirmed(LockHandle lock, Throwable cause) {
					SentReleaseTests.this.unconfirmed.add(lock.name());
				}

			}));

	private final Actor actor = new Actor();

	@AfterEach
	void close() {
		this.registry.close();
		this.actor.dismiss();
	}

	@ParameterizedTest
	@EnumSource
	void closesBeforeTheReply(LockType type) {
		LockHandle handle = acquired(LockRequest.of("name").type(type));
		Actor.resultOf(this.actor.begin(handle::close));
		assertThat(handle.isValid()).isFalse();
		assertThat(this.events.released).isEmpty();
		this.backend.released().answer(Outcome.RELEASED);
		await().until(() -> this.events.released.size() == 1);
	}

	@Test
	void unlocksBeforeTheReply() {
		NamedLock lock = this.registry.get("name");
		Future<?> locked = this.actor.begin(lock::lock);
		this.backend.asked().grant(1);
		Actor.resultOf(locked);
		Actor.resultOf(this.actor.begin(lock::unlock));
		this.backend.released().answer(Outcome.RELEASED);
		await().until(() -> this.events.released.size() == 1);
	}

	@Test
	void closesSeveralLocksBeforeTheReplies() {
		Future<LockHandle> both = this.actor
			.ask(() -> this.registry.acquireAll(List.of(LockRequest.of("a"), LockRequest.of("b"))));
		this.backend.asked().grant(1);
		this.backend.asked().grant(1);
		LockHandle handle = Actor.resultOf(both);
		Actor.resultOf(this.actor.begin(handle::close));
		this.backend.released().answer(Outcome.RELEASED);
		this.backend.released().answer(Outcome.RELEASED);
		await().until(() -> this.events.released.size() == 2);
	}

	@Test
	void returnsTheResultOfWorkBeforeTheReply() {
		Future<String> result = this.actor.ask(() -> this.registry.execute(LockRequest.of("name"), () -> "done"));
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(result)).isEqualTo("done");
		this.backend.released().answer(Outcome.RELEASED);
	}

	@Test
	void completesTheStageOfAReleaseAfterTheReply() {
		LockHandle handle = acquired(LockRequest.of("name"));
		CompletableFuture<?> released = handle.releaseAsync().toCompletableFuture();
		ScriptedBackend.Give release = this.backend.released();
		assertThat(released).isNotDone();
		release.answer(Outcome.RELEASED);
		Actor.resultOf(released);
	}

	@Test
	void reportsALossThatTheReleaseDiscovers() {
		LockHandle handle = acquired(LockRequest.of("name"));
		Actor.resultOf(this.actor.begin(handle::close));
		this.backend.released().answer(Outcome.NOT_HELD);
		await().until(() -> this.events.losses.size() == 1);
		assertThat(this.events.losses.get(0).reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
		assertThat(this.events.released).isEmpty();
	}

	@Test
	void throwsIfTheLeaseHasExpired() {
		LockHandle handle = acquired(LockRequest.of("name"));
		LateReleaseTests.endLease(handle);
		Future<?> closed = this.actor.begin(handle::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Actor.resultOf(closed));
	}

	@Test
	void requestsTheLockAgainBeforeTheReplyWhereCommandsKeepTheirOrder() {
		this.backend.ordered = true;
		LockHandle first = acquired(LockRequest.of("name"));
		Actor.resultOf(this.actor.begin(first::close));
		ScriptedBackend.Give release = this.backend.released();
		LockHandle second = acquired(LockRequest.of("name"));
		release.answer(Outcome.RELEASED);
		await().until(() -> this.events.released.size() == 1);
		assertThat(second.isValid()).isTrue();
		second.releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
	}

	@Test
	void requestsTheLockAgainAfterTheReplyElsewhere() {
		LockHandle first = acquired(LockRequest.of("name"));
		Actor.resultOf(this.actor.begin(first::close));
		CompletableFuture<LockHandle> second = this.registry.acquireAsync(LockRequest.of("name"));
		assertThat(this.backend.asks).isEmpty();
		this.backend.released().answer(Outcome.RELEASED);
		this.backend.asked().grant(2);
		Actor.resultOf(second).releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
	}

	/** Such as after a new connection, on which the release is repeated. */
	@Test
	void requestsTheLockOnceMoreIfItsOwnReleaseWasLate() {
		this.backend.ordered = true;
		LockHandle first = acquired(LockRequest.of("name"));
		Actor.resultOf(this.actor.begin(first::close));
		ScriptedBackend.Give release = this.backend.released();
		CompletableFuture<LockHandle> second = this.registry.acquireAsync(LockRequest.of("name"));
		this.backend.asked().refuse(OptionalLong.of(1));
		release.answer(Outcome.RELEASED);
		this.backend.asked().grant(2);
		Actor.resultOf(second).releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
	}

	@Test
	void shutsDownAfterTheReply() {
		LockHandle handle = acquired(LockRequest.of("name"));
		Actor.resultOf(this.actor.begin(handle::close));
		ScriptedBackend.Give release = this.backend.released();
		assertThat(Actor.resultOf(this.actor.ask(() -> this.registry.shutdown(Duration.ZERO)))).isFalse();
		release.answer(Outcome.RELEASED);
		assertThat(Actor.resultOf(this.actor.ask(() -> this.registry.shutdown(Duration.ofSeconds(20))))).isTrue();
	}

	@Test
	void reportsAReleaseThatIsNotConfirmed() {
		LockHandle handle = acquired(LockRequest.of("name"));
		Actor.resultOf(this.actor.begin(handle::close));
		this.backend.released().fail(Reason.UNREACHABLE);
		await().untilAsserted(() -> assertThat(this.unconfirmed).containsExactly("name"));
		this.backend.released().answer(Outcome.RELEASED);
	}

	private LockHandle acquired(LockRequest request) {
		CompletableFuture<LockHandle> future = this.registry.acquireAsync(request);
		this.backend.asked().grant(1);
		return Actor.resultOf(future);
	}

}
