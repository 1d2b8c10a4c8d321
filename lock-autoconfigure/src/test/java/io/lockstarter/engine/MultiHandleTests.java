package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How several locks that were taken as one are released, on a backend whose every answer
 * the test gives.
 */
class MultiHandleTests {

	private static final LockOwner OWNER = LockOwner.create("joint");

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Events events = new Events();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), Duration.ofSeconds(30), null, false, 0),
			List.of(this.events));

	private final Actor actor = new Actor();

	@AfterEach
	void close() {
		this.registry.close();
		this.actor.dismiss();
	}

	@Test
	void sendsAllReleasesBeforeTheFirstIsAnswered() {
		LockHandle all = take(this.actor.ask(() -> this.registry.acquireAll(named("a", "b", "c"))), 3);
		Future<?> closed = this.actor.begin(all::close);
		await().until(() -> this.backend.releases.size() == 3);
		assertThat(this.backend.releases).extracting((give) -> give.command().name()).containsExactly("c", "b", "a");
		assertThat(closed).isNotDone();
		List.copyOf(this.backend.releases).forEach((give) -> give.answer(Outcome.RELEASED));
		Actor.resultOf(closed);
		assertThat(this.events.released).containsExactly("c", "b", "a");
	}

	@Test
	void tellsOfReleasesInTheirOrderHoweverTheyAreAnswered() {
		LockHandle all = take(this.actor.ask(() -> this.registry.acquireAll(named("a", "b"))), 2);
		Future<?> closed = this.actor.begin(all::close);
		ScriptedBackend.Give last = this.backend.released();
		this.backend.released().answer(Outcome.RELEASED);
		assertThat(this.events.released).isEmpty();
		last.answer(Outcome.RELEASED);
		Actor.resultOf(closed);
		assertThat(this.events.released).containsExactly("b", "a");
	}

	@Test
	void collectsFailuresInTheOrderOfReleases() {
		LockHandle all = take(this.registry
			.acquireAllAsync(named("a", "b", "c").stream().map((request) -> request.owner(OWNER)).toList()), 3);
		Future<?> alone = this.actor.begin(all.parts().get(1)::close);
		this.backend.released().answer(Outcome.RELEASED);
		Actor.resultOf(alone);
		Future<?> closed = this.actor.begin(all::close);
		await().until(() -> this.backend.releases.size() == 2);
		this.backend.released().answer(Outcome.NOT_HELD);
		this.backend.released().answer(Outcome.NOT_HELD);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Actor.resultOf(closed))
			.withMessageContaining("'c'")
			.satisfies((ex) -> {
				assertThat(ex.getSuppressed()).hasSize(2);
				assertThat(ex.getSuppressed()[0]).isInstanceOf(LockNotHeldException.class).hasMessageContaining("'b'");
				assertThat(ex.getSuppressed()[1]).isInstanceOf(LockLostException.class).hasMessageContaining("'a'");
			});
	}

	@Test
	void lastsAsLongAsTheLockWhoseLeaseEndsFirst() {
		Duration shorter = Duration.ofSeconds(5);
		LockHandle all = take(this.actor.ask(() -> this.registry
			.acquireAll(List.of(LockRequest.of("a"), LockRequest.of("b"), LockRequest.of("c").leaseTime(shorter)))), 3);
		assertThat(all.remainingLease()).isLessThan(shorter);
	}

	@Test
	void releasesNothingForAnotherThread() {
		LockHandle all = take(this.actor.ask(() -> this.registry.acquireAll(named("a", "b"))), 2);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(all::close)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
		assertThat(this.backend.releases).isEmpty();
		assertThat(all.isValid()).isTrue();
	}

	@Test
	void keepsAnInterruptForLaterAndReleasesAll() {
		LockHandle all = take(this.actor.ask(() -> this.registry.acquireAll(named("a", "b"))), 2);
		Future<Boolean> interrupted = this.actor.ask(() -> {
			Thread.currentThread().interrupt();
			all.close();
			return Thread.interrupted();
		});
		await().until(() -> this.backend.releases.size() == 2);
		assertThat(interrupted).isNotDone();
		List.copyOf(this.backend.releases).forEach((give) -> give.answer(Outcome.RELEASED));
		assertThat(Actor.resultOf(interrupted)).isTrue();
	}

	@Test
	void givesBackAllBeforeTheFirstIsAnswered() {
		Future<LockHandle> asked = this.actor.ask(() -> this.registry.acquireAll(named("a", "b", "c")));
		this.backend.asked().grant(1);
		this.backend.asked().grant(1);
		this.backend.asked();
		await().until(() -> this.registry.waitingCount() == 1);
		this.actor.interrupt();
		await().until(() -> this.backend.releases.size() >= 2);
		assertThat(this.backend.releases).extracting((give) -> give.command().name()).startsWith("b", "a");
		assertThat(asked).isNotDone();
		List.copyOf(this.backend.releases).forEach((give) -> give.answer(Outcome.RELEASED));
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(asked));
	}

	private static List<LockRequest> named(String... names) {
		return List.of(names).stream().map(LockRequest::of).toList();
	}

	private LockHandle take(Future<LockHandle> asked, int locks) {
		for (int i = 0; i < locks; i++) {
			this.backend.asked().grant(1);
		}
		return Actor.resultOf(asked);
	}

}
