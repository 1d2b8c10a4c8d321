package io.lockstarter.contract;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How a lock is taken away from those who hold it.
 */
interface ForceSemantics extends TwoRegistries {

	@Test
	default void grantsLockToNextAndReturnsFormerHolder() throws InterruptedException {
		LockHandle formerHolder = one().acquire(request());
		Actor waiter = actor();
		Future<LockHandle> next = waiter.ask(() -> two().acquire(request()));
		awaitWaiting(two(), 1);
		DefaultLockRegistry third = open(LEASE);
		assertThat(third.forceRelease(name())).singleElement()
			.extracting(Holder::label)
			.asString()
			.startsWith("instance-1/");
		LockHandle gained = Actor.resultOf(next);
		assertThat(gained.fencingToken()).isGreaterThan(formerHolder.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(formerHolder::close)
			.satisfies((ex) -> assertThat(ex.loss().reason()).as("known if the message has come")
				.isIn(LockLoss.Reason.NOT_OWNED, LockLoss.Reason.FORCE_RELEASED));
		assertThatExceptionOfType(LockNotHeldException.class).as("a second time").isThrownBy(formerHolder::close);
		assertThat(gained.isValid()).isTrue();
		waiter.run(gained::close);
		assertNothingLeft();
	}

	@Test
	default void oustsNobodyWhenNobodyHasTheLock() throws InterruptedException {
		assertThat(one().forceRelease(name())).isEmpty();
		one().acquire(request());
		assertThat(two().forceRelease(name())).hasSize(1);
		assertThat(two().forceRelease(name())).as("a second time").isEmpty();
		two().acquire(request()).close();
		assertThat(two().forceRelease(name())).as("after a release").isEmpty();
	}

	@Test
	default void notifiesFormerHolderOfTheSameInstanceAtOnce() throws InterruptedException {
		LockHandle formerHolder = one().acquire(request());
		actor().run(() -> assertThat(one().forceRelease(name())).hasSize(1));
		await().atMost(Actor.PATIENCE).until(() -> events().losses.size() == 1);
		assertThat(events().losses.get(0).reason()).isEqualTo(LockLoss.Reason.FORCE_RELEASED);
		assertThat(formerHolder.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(formerHolder::close);
		assertNothingLeft();
	}

	@Test
	default void notifiesFormerHolderOfAnotherInstanceByItsNextRenewal() throws InterruptedException {
		Events events = new Events();
		LockHandle formerHolder = acquireInTime(open(RENEWED_LEASE, events), request());
		assertThat(two().forceRelease(name())).hasSize(1);
		await().atMost(Actor.PATIENCE).until(() -> events.losses.size() == 1);
		assertThat(formerHolder.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> formerHolder.extend(LEASE));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(formerHolder::close);
		assertNothingLeft();
	}

	@Test
	default void tellsAnInstanceThatHearsMessagesThatItWasForce() throws InterruptedException {
		Events events = new Events();
		DefaultLockRegistry hearing = open(LEASE, events);
		LockHandle first = two().acquire(request());
		CompletableFuture<LockHandle> waiting = hearing.acquireAsync(request().waitTime(Actor.PATIENCE));
		awaitWaiting(hearing, 1);
		await().atMost(Actor.PATIENCE)
			.untilAsserted(() -> assertThat(hearing.health().join().details()).matches(ForceSemantics::hears));
		first.close();
		LockHandle formerHolder = Actor.resultOf(waiting);
		assertThat(two().forceRelease(name())).hasSize(1);
		await().atMost(Actor.PATIENCE).until(() -> events.losses.size() == 1);
		assertThat(events.losses.get(0).reason()).isEqualTo(LockLoss.Reason.FORCE_RELEASED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(formerHolder::close);
		assertNothingLeft();
	}

	private static boolean hears(Map<String, Object> details) {
		return details.getOrDefault("subscription", "up").equals("up")
				&& String.valueOf(details.get("subscribed")).equals(String.valueOf(details.get("servers")));
	}

	@Test
	default void oustsAllReaders() throws InterruptedException {
		LockHandle here = one().acquire(request().type(LockType.READ));
		LockHandle there = two().acquire(request().type(LockType.READ));
		assertThat(open(LEASE).forceRelease(name())).extracting(Holder::label)
			.satisfiesExactlyInAnyOrder((label) -> assertThat(label).startsWith("instance-1/"),
					(label) -> assertThat(label).startsWith("instance-2/"));
		DefaultLockRegistry writer = open(LEASE);
		assertThat(writer.get(request().type(LockType.WRITE)).tryLock(20, TimeUnit.SECONDS)).isTrue();
		assertThat(writer.get(name()).fencingToken())
			.isGreaterThan(Math.max(here.fencingToken(), there.fencingToken()));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(here::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(there::close);
		assertThat(writer.get(name()).isHeldByCurrentOwner()).isTrue();
	}

	@Test
	default void grantsLockToWaitingThreadsOfTheFormerHoldersInstance() throws InterruptedException {
		LockHandle formerHolder = one().acquire(request());
		Actor waiter = actor();
		Future<LockHandle> next = waiter.ask(() -> one().acquire(request()));
		awaitWaiting(one(), 1);
		assertThat(one().forceRelease(name())).hasSize(1);
		LockHandle gained = Actor.resultOf(next);
		assertThat(gained.fencingToken()).isGreaterThan(formerHolder.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(formerHolder::close);
		waiter.run(gained::close);
		assertNothingLeft();
	}

}
