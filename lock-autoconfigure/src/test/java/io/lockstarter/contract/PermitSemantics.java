package io.lockstarter.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How many hold a lock at a time that has permits.
 */
public interface PermitSemantics extends TwoRegistries {

	private LockRequest permits(int permits) {
		return request().permits(permits).waitTime(LockRequest.FOREVER);
	}

	private NamedLock permit(DefaultLockRegistry registry, int permits) {
		return registry.get(permits(permits));
	}

	/** Take a permit for an owner of its own. */
	private LockHandle take(DefaultLockRegistry registry, LockRequest request) throws InterruptedException {
		return registry.acquire(request.owner(LockOwner.create("task")).waitTime(Actor.PATIENCE));
	}

	private boolean isFull(DefaultLockRegistry registry, LockRequest request) {
		Actor asker = actor();
		boolean taken = asker.call(() -> registry.get(request).tryLock());
		if (taken) {
			asker.run(() -> registry.get(request).unlock());
		}
		return !taken;
	}

	@Test
	default void letsAsManyHoldItAsThereArePermits() throws InterruptedException {
		List<LockHandle> held = List.of(take(one(), permits(3)), take(two(), permits(3)), take(one(), permits(3)));
		assertThat(held).extracting(LockHandle::fencingToken).doesNotHaveDuplicates();
		assertThat(isFull(one(), permits(3))).as("in this instance").isTrue();
		assertThat(isFull(two(), permits(3))).as("in another instance").isTrue();
		held.get(1).close();
		LockHandle next = take(one(), permits(3));
		assertThat(isFull(two(), permits(3))).isTrue();
		next.close();
		held.get(0).close();
		held.get(2).close();
		assertNothingLeft();
	}

	@Test
	default void takesOnePermitAsTheLockItself() throws InterruptedException {
		LockHandle held = take(one(), permits(1));
		assertThat(isFull(two(), request())).isTrue();
		assertThat(isFull(two(), permits(2))).isTrue();
		held.close();
		assertNothingLeft();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "READ")
	default void excludesOneWhoWouldBeAlone(LockType type) throws InterruptedException {
		if (!types().contains(type)) {
			return;
		}
		LockHandle held = take(one(), permits(2));
		assertThat(isFull(one(), request().type(type))).as("in this instance").isTrue();
		assertThat(isFull(two(), request().type(type))).as("in another instance").isTrue();
		held.close();
		LockHandle alone = take(two(), request().type(type));
		assertThat(isFull(one(), permits(2))).isTrue();
		assertThat(isFull(two(), permits(2))).isTrue();
		alone.close();
		assertNothingLeft();
	}

	@Test
	default void countsReadersToo() throws InterruptedException {
		LockHandle reader = take(one(), request().type(LockType.READ));
		LockHandle permit = take(two(), permits(2));
		assertThat(isFull(one(), permits(2))).isTrue();
		assertThat(isFull(one(), permits(3))).isFalse();
		LockHandle another = take(two(), request().type(LockType.READ));
		assertThat(isFull(one(), permits(3))).as("readers are not limited themselves").isTrue();
		another.close();
		reader.close();
		permit.close();
		assertNothingLeft();
	}

	@Test
	default void judgesEachByItsOwnNumber() throws InterruptedException {
		LockHandle first = take(one(), permits(2));
		LockHandle second = take(two(), permits(4));
		assertThat(isFull(one(), permits(2))).isTrue();
		LockHandle third = take(one(), permits(4));
		LockHandle fourth = take(two(), permits(4));
		assertThat(isFull(one(), permits(4))).isTrue();
		for (LockHandle handle : List.of(first, second, third)) {
			assertThat(isFull(two(), permits(2))).isTrue();
			handle.close();
		}
		take(two(), permits(2)).close();
		fourth.close();
		assertNothingLeft();
	}

	@Test
	default void countsTheEntriesOfAnOwnerAsOne() {
		NamedLock lock = permit(one(), 2);
		lock.lock();
		lock.lock();
		permit(one(), 5).lock();
		assertThat(lock.holdCount()).isEqualTo(3);
		assertThat(isFull(two(), permits(2))).as("it has one permit").isFalse();
		lock.unlock();
		lock.unlock();
		assertThat(lock.isHeldByCurrentOwner()).isTrue();
		lock.unlock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> actor().run(lock::unlock));
		assertNothingLeft();
	}

	@Test
	default void goesOnWithAHoldThatExcludesMore() {
		NamedLock alone = one().get(request());
		NamedLock permit = permit(one(), 2);
		alone.lock();
		permit.lock();
		assertThat(alone.holdCount()).isEqualTo(2);
		alone.unlock();
		assertThat(isFull(two(), permits(2))).as("alone until the end").isTrue();
		permit.unlock();
		permit.lock();
		one().get(request().type(LockType.READ)).lock();
		assertThat(permit.holdCount()).isEqualTo(2);
		permit.unlock();
		one().get(request().type(LockType.READ)).unlock();
		assertNothingLeft();
	}

	@Test
	default void refusesToTurnAPermitIntoMore() {
		permit(one(), 2).lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> one().get(request()).lock())
			.withMessageContaining("held with one of several permits")
			.withMessageContaining("cannot be acquired exclusively");
		permit(one(), 2).unlock();
		one().get(request().type(LockType.READ)).lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> permit(one(), 2).lock())
			.withMessageContaining("held as a reader")
			.withMessageContaining("with one of several permits");
		one().get(request().type(LockType.READ)).unlock();
		assertNothingLeft();
	}

	@Test
	default void givesAPermitThatIsReleasedToOneWhoWaitsElsewhere() throws InterruptedException {
		List<LockHandle> held = List.of(take(one(), permits(2)), take(one(), permits(2)));
		List<Future<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			waiting.add(actor().ask(() -> take(two(), permits(2))));
			awaitWaiting(two(), i + 1);
		}
		held.get(0).close();
		await().until(() -> waiting.stream().filter(Future::isDone).count() == 1);
		held.get(1).close();
		for (Future<LockHandle> each : waiting) {
			Actor.resultOf(each).close();
		}
		assertNothingLeft();
	}

	@Test
	default void letsAllInForWhomThereArePermitsWhenOneWhoWasAloneLeaves() throws InterruptedException {
		LockHandle alone = take(one(), request());
		List<Future<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? one() : two();
			waiting.add(actor().ask(() -> take(registry, permits(4))));
			awaitWaiting(registry, i / 2 + 1);
		}
		alone.close();
		await().until(() -> waiting.stream().filter(Future::isDone).count() == 4);
		assertThat(one().heldCount() + two().heldCount()).isEqualTo(4);
		while (!waiting.isEmpty()) {
			Future<LockHandle> done = waiting.stream().filter(Future::isDone).findAny().orElseThrow();
			waiting.remove(done);
			Actor.resultOf(done).close();
			await().until(() -> waiting.isEmpty() || waiting.stream().anyMatch(Future::isDone));
		}
		assertNothingLeft();
	}

	@Test
	default void keepsNewOnesBehindOneWhoWaitsToBeAlone() throws InterruptedException {
		LockHandle held = take(one(), permits(3));
		Actor patient = actor();
		Future<LockHandle> alone = patient.ask(() -> take(two(), request()));
		awaitWaiting(two(), 1);
		await().until(() -> isFull(one(), permits(3)));
		assertThat(alone).isNotDone();
		held.close();
		Actor.resultOf(alone).close();
		assertThat(isFull(one(), permits(3))).isFalse();
		assertNothingLeft();
	}

	@Test
	default void keepsOrderAmongThoseWhoAskForDifferentNumbers() throws InterruptedException {
		List<LockHandle> held = List.of(take(one(), permits(4)), take(one(), permits(4)));
		Actor patient = actor();
		Future<LockHandle> fewer = patient.ask(() -> take(two(), permits(2)));
		awaitWaiting(two(), 1);
		await("no newcomer passes, though there is one for it").until(() -> isFull(one(), permits(4)));
		held.get(0).close();
		LockHandle third = Actor.resultOf(fewer);
		third.close();
		held.get(1).close();
		assertNothingLeft();
	}

	@Test
	default void tellsWhoHoldsAllPermits() throws InterruptedException {
		List<LockHandle> held = List.of(take(one(), permits(3)), take(two(), permits(3)), take(two(), permits(3)));
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> two().acquire(permits(3).waitTime(Duration.ofMillis(50))))
			.withMessageMatching(".* \\(all 3 permits are held, by instance-\\d/task\\S* and 2 others; the first lease"
					+ " ends in .*\\); raise .*");
		held.forEach(LockHandle::close);
		assertNothingLeft();
	}

	@Test
	default void losesAPermitAloneAndFreesItWhenItsLeaseEnds() throws InterruptedException {
		LockHandle renewed = take(one(), permits(2));
		Actor other = actor();
		LockHandle fixed = other.call(() -> acquireShortly(one(), permits(2)));
		LockHandle next = take(two(), permits(2));
		assertThat(fixed.isValid()).isFalse();
		assertThat(renewed.isValid()).isTrue();
		assertThat(next.fencingToken()).isGreaterThan(fixed.fencingToken());
		await().untilAsserted(() -> assertThat(events().losses).extracting(LockLoss::fencingToken)
			.containsExactly(fixed.fencingToken()));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> other.run(fixed::close));
		assertThat(isFull(two(), permits(2))).as("what was lost is not released once more").isTrue();
		renewed.close();
		next.close();
		assertNothingLeft();
	}

	@Test
	default void tellsTheLossToWhoUnlocks() throws InterruptedException {
		Actor other = actor();
		NamedLock lock = one().get(permits(2).leaseTime(SHORT_LEASE));
		other.run(() -> acquireShortly(one(), permits(2)));
		await().until(() -> other.call(() -> lock.loss().isPresent()));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> other.run(lock::unlock));
		assertNothingLeft();
	}

	@Test
	default void freesThePermitOfOneWhoseThreadHasEnded() {
		Events events = new Events();
		DefaultLockRegistry registry = open(RENEWED_LEASE, events);
		Actor mortal = actor();
		mortal.run(() -> permit(registry, 2).lock());
		permit(two(), 2).lock();
		mortal.close();
		await().untilAsserted(() -> assertThat(events.losses).extracting(LockLoss::reason)
			.containsExactly(LockLoss.Reason.OWNER_ENDED));
		await().until(() -> !isFull(one(), permits(2)));
		permit(two(), 2).unlock();
		assertNothingLeft();
	}

	@Test
	default void extendsTheLeaseOfOnePermit() throws InterruptedException {
		LockHandle extended = acquireInTime(one(),
				permits(2).owner(LockOwner.create("a")).leaseTime(Duration.ofSeconds(2)));
		LockHandle other = take(two(), permits(2));
		extended.extend(Duration.ofMinutes(1));
		assertThat(extended.remainingLease()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(one().inspect(name()).join().holders()).extracting((holder) -> holder.holder().remainingLease())
			.anySatisfy((rest) -> assertThat(rest).isGreaterThan(Duration.ofSeconds(50)));
		extended.close();
		assertThat(other.isValid()).isTrue();
		other.close();
		assertNothingLeft();
	}

	@Test
	default void keepsAPermitForLongerThanItsWork() throws InterruptedException {
		LockHandle kept = take(one(), permits(2));
		LockHandle other = take(one(), permits(2));
		kept.releaseAfter(Duration.ofMillis(700));
		assertThat(isFull(two(), permits(2))).as("while it is kept").isTrue();
		LockHandle next = take(two(), permits(2));
		assertThat(other.isValid()).isTrue();
		next.close();
		other.close();
		assertNothingLeft();
	}

	@Test
	default void renewsEachPermit() throws InterruptedException {
		DefaultLockRegistry registry = open(RENEWED_LEASE, new Events());
		List<LockHandle> held = List.of(take(registry, permits(3)), take(registry, permits(3)),
				take(two(), permits(3)));
		await().pollDelay(RENEWED_LEASE.plusMillis(500)).until(() -> true);
		assertThat(held).allMatch(LockHandle::isValid);
		assertThat(isFull(one(), permits(3))).isTrue();
		held.forEach(LockHandle::close);
		assertNothingLeft();
	}

	@Test
	default void withdrawsARequestForAPermit() throws InterruptedException {
		List<LockHandle> held = List.of(take(one(), permits(2)), take(two(), permits(2)));
		CompletableFuture<LockHandle> cancelled = one().acquireAsync(permits(2));
		Future<LockHandle> waiting = actor().ask(() -> take(two(), permits(2)));
		awaitWaiting(one(), 1);
		awaitWaiting(two(), 1);
		cancelled.cancel(true);
		held.get(0).close();
		Actor.resultOf(waiting).close();
		held.get(1).close();
		assertNothingLeft();
	}

	@Test
	default void takesSeveralLocksWithPermits() throws InterruptedException {
		LockRequest other = LockRequest.of(name() + "-b").permits(2);
		LockHandle first = one().acquireAll(List.of(permits(2), other));
		LockHandle second = take(two(), permits(2));
		CompletableFuture<LockHandle> both = two().acquireAllAsync(List.of(permits(2), other));
		awaitWaiting(two(), 1);
		assertThat(two().get(other).tryLock()).as("nothing is kept of what is waited for").isTrue();
		two().get(other).unlock();
		second.close();
		Actor.resultOf(both).close();
		first.close();
		LockHandle strictest = one().acquireAll(List.of(permits(5), permits(2)));
		LockHandle fitting = take(two(), permits(2));
		assertThat(isFull(two(), permits(2))).isTrue();
		strictest.close();
		fitting.close();
		assertNothingLeft();
	}

	@Test
	default void refusesThoseWhoWaitWhenTheRegistryCloses() throws InterruptedException {
		DefaultLockRegistry closing = open(Duration.ofSeconds(30));
		List<LockHandle> held = List.of(take(closing, permits(2)), take(two(), permits(2)));
		CompletableFuture<LockHandle> waiting = closing.acquireAsync(permits(2));
		awaitWaiting(closing, 1);
		Actor closer = actor();
		Future<Boolean> drained = closer.ask(() -> closing.shutdown(Actor.PATIENCE));
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(waiting));
		assertThat(held.get(0).isValid()).isTrue();
		held.get(0).close();
		assertThat(Actor.resultOf(drained)).isTrue();
		held.get(1).close();
		assertNothingLeft();
	}

	@Test
	default void takesPermitsAwayByForce() throws InterruptedException {
		List<LockHandle> held = List.of(take(one(), permits(2)), take(two(), permits(2)));
		Future<LockHandle> waiting = actor().ask(() -> take(two(), permits(2)));
		awaitWaiting(two(), 1);
		assertThat(one().forceRelease(name())).hasSize(2);
		Actor.resultOf(waiting).close();
		await().until(() -> held.stream().noneMatch(LockHandle::isValid));
		held.forEach((handle) -> assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close));
		assertNothingLeft();
	}

	@Test
	default void showsHowManyPermitsThereAre() throws InterruptedException {
		List<LockHandle> held = List.of(take(one(), permits(4)), take(one(), permits(4)), take(two(), permits(4)));
		assertThat(one().held()).extracting("permits").containsExactly(4, 4);
		assertThat(two().inspect(name()).join().holders()).extracting("permits").containsExactly(4, 4, 4);
		CompletableFuture<LockHandle> fourth = one().acquireAsync(permits(4));
		Actor.resultOf(fourth).close();
		CompletableFuture<LockHandle> waiting = one().acquireAsync(permits(3));
		awaitWaiting(one(), 1);
		assertThat(one().waiting()).extracting("permits").containsExactly(3);
		waiting.cancel(true);
		held.forEach(LockHandle::close);
		assertNothingLeft();
	}

	@Test
	default void grantsFairPermitsInOrderOfArrivalOverInstances() throws InterruptedException {
		if (!types().contains(LockType.FAIR)) {
			return;
		}
		LockRequest fair = permits(2).type(LockType.FAIR);
		await()
			.until(() -> !hasMessages() || EngineInternals.isSubscribed(one()) & EngineInternals.isSubscribed(two()));
		List<LockHandle> held = List.of(take(one(), fair), take(two(), fair));
		List<Integer> order = new CopyOnWriteArrayList<>();
		List<Future<?>> works = new ArrayList<>();
		int[] waiting = new int[2];
		for (int i = 0; i < 6; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? two() : one();
			int number = i;
			works.add(actor().begin(() -> {
				try (LockHandle handle = take(registry, fair)) {
					order.add(number);
				}
			}));
			awaitWaiting(registry, ++waiting[i % 2]);
			// The order of arrival is exact to the latency of a command.
			await().pollDelay(FairSemantics.LATENCY).until(() -> true);
		}
		held.get(0).close();
		works.forEach(Actor::resultOf);
		assertThat(order).isSorted().hasSize(6);
		held.get(1).close();
		assertNothingLeft();
	}

	@Test
	default void neverLetsMoreInThanThereArePermits() throws InterruptedException {
		Room room = new Room(3);
		List<Future<?>> works = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? one() : two();
			LockRequest request = permits(3)
				.type((i < 9 || !types().contains(LockType.FAIR)) ? LockType.REENTRANT : LockType.FAIR);
			works.add(actor().begin(() -> {
				for (int round = 0; round < 150 * effort(); round++) {
					LockRequest asked = (round % 10 == 0) ? request.leaseTime(LEASE) : request;
					try (LockHandle handle = registry.acquire(asked)) {
						room.stay(handle.fencingToken());
					}
				}
			}));
		}
		works.add(actor().begin(() -> {
			for (int round = 0; round < 20 * effort(); round++) {
				try (LockHandle alone = two().acquire(request().waitTime(LockRequest.FOREVER))) {
					room.stayAlone(alone.fencingToken());
				}
			}
		}));
		works.forEach(this::resultOf);
		assertThat(events().losses).isEmpty();
		assertNothingLeft();
		List<LockHandle> all = List.of(take(one(), permits(3)), take(two(), permits(3)), take(one(), permits(3)));
		assertThat(all).as("no permit has leaked").hasSize(3);
		all.forEach(LockHandle::close);
		assertNothingLeft();
	}

	/** Its threads take turns with those of another instance. */
	@Test
	default void starvesNoInstance() throws InterruptedException {
		AtomicInteger rounds = new AtomicInteger();
		List<Future<?>> busy = new ArrayList<>();
		AtomicInteger stop = new AtomicInteger();
		for (int i = 0; i < 6; i++) {
			busy.add(actor().begin(() -> {
				while (stop.get() == 0) {
					try (LockHandle handle = one().acquire(permits(2))) {
						rounds.incrementAndGet();
						Pauses.micros(20);
					}
				}
			}));
		}
		await().until(() -> rounds.get() > 100);
		Actor other = actor();
		for (int i = 0; i < 10; i++) {
			assertThat(other.call(() -> {
				NamedLock lock = permit(two(), 2);
				boolean taken = lock.tryLock(10, TimeUnit.SECONDS);
				if (taken) {
					lock.unlock();
				}
				return taken;
			})).as("another instance gets its turn").isTrue();
		}
		stop.set(1);
		busy.forEach(Actor::resultOf);
		assertNothingLeft();
	}

	/**
	 * Where some may be at a time.
	 */
	final class Room {

		private static final int ALONE = 1_000_000;

		private final int permits;

		private final AtomicInteger inside = new AtomicInteger();

		private final Set<Long> tokens = new HashSet<>();

		private long lastAlone;

		Room(int permits) {
			this.permits = permits;
		}

		void stay(long token) {
			assertThat(this.inside.incrementAndGet()).as("inside at a time").isLessThanOrEqualTo(this.permits);
			seen(token, false);
			Pauses.micros(50);
			this.inside.decrementAndGet();
		}

		void stayAlone(long token) {
			assertThat(this.inside.getAndAdd(ALONE)).as("inside with one who is alone").isZero();
			seen(token, true);
			Pauses.micros(50);
			this.inside.addAndGet(-ALONE);
		}

		private synchronized void seen(long token, boolean alone) {
			assertThat(this.tokens.add(token)).as("token %d is new", token).isTrue();
			assertThat(token).isGreaterThan(this.lastAlone);
			if (alone) {
				this.lastAlone = token;
			}
		}

	}

}
