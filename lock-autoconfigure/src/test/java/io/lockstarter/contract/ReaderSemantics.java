package io.lockstarter.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Who reads and writes when.
 */
interface ReaderSemantics extends TwoRegistries {

	private NamedLock reading(DefaultLockRegistry registry) {
		return registry.get(request().type(LockType.READ));
	}

	private NamedLock writing(DefaultLockRegistry registry) {
		return registry.get(request().type(LockType.WRITE));
	}

	@Test
	default void letsAnyNumberReadAtATime() {
		reading(one()).lock();
		Actor sibling = actor();
		assertThat(sibling.call(() -> reading(one()).tryLock())).as("in this instance").isTrue();
		assertThat(reading(two()).tryLock()).as("in another instance").isTrue();
		assertThat(reading(one()).holdCount()).isEqualTo(1);
		assertThat(one().held()).extracting("type").containsExactly(LockType.READ, LockType.READ);
		reading(two()).unlock();
		sibling.run(() -> reading(one()).unlock());
		reading(one()).unlock();
		assertNothingLeft();
	}

	@Test
	default void excludesEverybodyElseWhileOneReads() {
		reading(one()).lock();
		for (LockType type : List.of(LockType.WRITE, LockType.REENTRANT)) {
			LockRequest request = request().type(type);
			assertThat(actor().call(() -> one().get(request).tryLock())).as("%s in this instance", type).isFalse();
			assertThat(two().get(request).tryLock()).as("%s in another instance", type).isFalse();
		}
		reading(one()).unlock();
		assertThat(writing(two()).tryLock()).isTrue();
		writing(two()).unlock();
		assertNothingLeft();
	}

	@Test
	default void excludesReadersWhileOneWrites() {
		for (LockType type : List.of(LockType.WRITE, LockType.REENTRANT)) {
			one().get(request().type(type)).lock();
			assertThat(actor().call(() -> reading(one()).tryLock())).as("in this instance").isFalse();
			assertThat(reading(two()).tryLock()).as("in another instance").isFalse();
			one().get(request().type(type)).unlock();
		}
		assertNothingLeft();
	}

	@Test
	default void writesWhenAllReadersHaveLeft() {
		reading(one()).lock();
		reading(two()).lock();
		Actor writer = actor();
		Future<?> written = writer.begin(() -> writing(two()).lock());
		awaitWaiting(two(), 1);
		reading(two()).unlock();
		assertThat(written).isNotDone();
		reading(one()).unlock();
		Actor.resultOf(written);
		writer.run(() -> writing(two()).unlock());
		assertNothingLeft();
	}

	@Test
	default void keepsNewReadersBehindAWriterThatWaits() {
		reading(one()).lock();
		Actor writer = actor();
		Future<?> written = writer.begin(() -> writing(two()).lock());
		awaitWaiting(two(), 1);
		Actor newcomer = actor();
		await("in another instance").until(() -> isRefused(newcomer, reading(two())));
		await("in the instance of a reader").until(() -> isRefused(newcomer, reading(one())));
		assertThat(reading(one()).tryLock()).as("one who reads already").isTrue();
		reading(one()).unlock();
		reading(one()).unlock();
		Actor.resultOf(written);
		writer.run(() -> writing(two()).unlock());
		assertNothingLeft();
	}

	private boolean isRefused(Actor actor, NamedLock lock) {
		boolean taken = actor.call(() -> lock.tryLock());
		if (taken) {
			actor.run(lock::unlock);
		}
		return !taken;
	}

	@Test
	default void letsReadersInAgainWhenAWriterStopsWaiting() {
		reading(one()).lock();
		Actor writer = actor();
		Future<Boolean> written = writer.ask(() -> writing(two()).tryLock(300, TimeUnit.MILLISECONDS));
		awaitWaiting(two(), 1);
		Actor newcomer = actor();
		await().until(() -> written.isDone() || isRefused(newcomer, reading(one())));
		newcomer.run(() -> lockInTime(reading(one())));
		assertThat(Actor.resultOf(written)).isFalse();
		newcomer.run(() -> reading(one()).unlock());
		reading(one()).unlock();
		assertNothingLeft();
	}

	@Test
	default void letsAllReadersThatWaitedInTogether() {
		writing(one()).lock();
		CountDownLatch inside = new CountDownLatch(6);
		List<Future<?>> readers = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			NamedLock lock = reading((i % 2 == 0) ? one() : two());
			readers.add(actor().begin(() -> {
				lock.lock();
				inside.countDown();
				assertThat(inside.await(20, TimeUnit.SECONDS)).as("all inside").isTrue();
				lock.unlock();
			}));
		}
		awaitWaiting(one(), 3);
		awaitWaiting(two(), 3);
		writing(one()).unlock();
		readers.forEach(Actor::resultOf);
		assertNothingLeft();
	}

	@Test
	default void readsOnAfterWriting() throws InterruptedException {
		writing(one()).lock();
		reading(one()).lock();
		Actor sibling = actor();
		assertThat(sibling.call(() -> reading(one()).tryLock())).as("while it writes").isFalse();
		writing(one()).unlock();
		assertThat(reading(one()).isHeldByCurrentOwner()).isTrue();
		assertThat(writing(one()).isHeldByCurrentOwner()).isFalse();
		sibling.run(() -> lockInTime(reading(one())));
		lockInTime(reading(two()));
		assertThat(actor().call(() -> writing(two()).tryLock())).isFalse();
		reading(two()).unlock();
		sibling.run(() -> reading(one()).unlock());
		assertThat(writing(two()).tryLock()).as("while one still reads").isFalse();
		reading(one()).unlock();
		assertNothingLeft();
	}

	@Test
	default void wakesReadersElsewhereWhenItReadsOnAfterWriting() {
		writing(one()).lock();
		reading(one()).lock();
		Actor other = actor();
		Future<?> read = other.begin(() -> reading(two()).lock());
		awaitWaiting(two(), 1);
		writing(one()).unlock();
		Actor.resultOf(read);
		other.run(() -> reading(two()).unlock());
		reading(one()).unlock();
		assertNothingLeft();
	}

	@Test
	default void endsBothSidesOfAWriterWhoReadsInAnyOrder() {
		writing(one()).lock();
		reading(one()).lock();
		reading(one()).unlock();
		assertThat(reading(one()).isHeldByCurrentOwner()).isFalse();
		assertThat(writing(one()).isHeldByCurrentOwner()).isTrue();
		assertThat(reading(two()).tryLock()).isFalse();
		writing(one()).unlock();
		assertNothingLeft();
	}

	@Test
	default void refusesToTurnAReaderIntoAWriter() {
		reading(one()).lock();
		for (LockType type : List.of(LockType.WRITE, LockType.REENTRANT, LockType.FAIR)) {
			assertThatExceptionOfType(LockUpgradeException.class)
				.isThrownBy(() -> one().get(request().type(type)).lock())
				.withMessageContaining(name())
				.withMessageContaining("release the read lock first");
		}
		assertThat(reading(one()).isHeldByCurrentOwner()).isTrue();
		assertThat(reading(two()).tryLock()).as("others read on").isTrue();
		reading(two()).unlock();
		reading(one()).unlock();
		assertNothingLeft();
	}

	@Test
	default void refusesToMakeAWriterOfOneWhoAskedToReadAtTheSameTime() throws InterruptedException {
		LockHandle held = two().acquire(request());
		LockRequest ofTask = request().owner(LockOwner.create("task"));
		CompletableFuture<LockHandle> reading = one().acquireAsync(ofTask.type(LockType.READ));
		CompletableFuture<LockHandle> writing = one().acquireAsync(ofTask.type(LockType.WRITE));
		held.close();
		LockHandle reader = Actor.resultOf(reading);
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> Actor.resultOf(writing));
		reader.close();
		assertNothingLeft();
	}

	@Test
	default void countsTheEntriesOfAReader() {
		NamedLock lock = reading(one());
		lock.lock();
		lock.lock();
		assertThat(lock.holdCount()).isEqualTo(2);
		lock.unlock();
		assertThat(writing(two()).tryLock()).isFalse();
		lock.unlock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> actor().run(lock::unlock));
		assertNothingLeft();
	}

	@Test
	default void losesAReaderWithAFixedLeaseAlone() throws InterruptedException {
		LockRequest request = request().type(LockType.READ);
		LockHandle renewed = one().acquire(request);
		Actor other = actor();
		LockHandle fixed = other.call(() -> acquireShortly(one(), request));
		await().until(() -> !fixed.isValid());
		await().untilAsserted(() -> assertThat(events().losses).extracting(LockLoss::fencingToken)
			.containsExactly(fixed.fencingToken()));
		assertThat(renewed.isValid()).isTrue();
		assertThat(writing(two()).tryLock()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> other.run(fixed::close));
		assertThat(writing(two()).tryLock()).as("after the one that was lost is released").isFalse();
		renewed.close();
		assertNothingLeft();
	}

	@Test
	default void freesTheShareOfAReaderWhoseThreadHasEnded() {
		Events events = new Events();
		DefaultLockRegistry registry = open(RENEWED_LEASE, events);
		NamedLock lock = reading(registry);
		lock.lock();
		Actor mortal = actor();
		mortal.run(lock::lock);
		mortal.close();
		await().untilAsserted(() -> assertThat(events.losses).extracting(LockLoss::reason)
			.containsExactly(LockLoss.Reason.OWNER_ENDED));
		assertThat(lock.isHeldByCurrentOwner()).as("of the reader who lives").isTrue();
		assertThat(writing(two()).tryLock()).isFalse();
		lock.unlock();
		assertNothingLeft();
	}

	@Test
	default void givesWritersHigherTokensThanAllReadersBefore() throws InterruptedException {
		LockRequest read = request().type(LockType.READ);
		LockRequest write = request().type(LockType.WRITE);
		long last = 0;
		for (int i = 0; i < 5; i++) {
			long highest;
			try (LockHandle a = one().acquire(read);
					LockHandle b = two().acquire(read);
					LockHandle c = actor().call(() -> one().acquire(read.owner(LockOwner.create("c"))))) {
				List<Long> tokens = List.of(a.fencingToken(), b.fencingToken(), c.fencingToken());
				assertThat(tokens).doesNotHaveDuplicates();
				for (long token : tokens) {
					assertThat(token).isGreaterThan(last);
				}
				highest = tokens.stream().mapToLong(Long::longValue).max().orElseThrow();
			}
			try (LockHandle handle = ((i % 2 == 0) ? one() : two()).acquire(write)) {
				last = handle.fencingToken();
				assertThat(last).isGreaterThan(highest);
			}
		}
		assertNothingLeft();
	}

	@Test
	default void excludesWritersFromReadersOfTwoInstancesAtAllTimes() {
		Section section = new Section();
		List<Future<?>> works = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			works.add(actor().begin(() -> read(one(), section, 150 * effort())));
			works.add(actor().begin(() -> read(two(), section, 150 * effort())));
		}
		works.add(actor().begin(() -> write(one(), section, 50 * effort())));
		works.add(actor().begin(() -> write(two(), section, 50 * effort())));
		works.add(actor().begin(() -> readOnAfterWriting(one(), section, 30 * effort())));
		works.add(actor().begin(() -> readOnAfterWriting(two(), section, 30 * effort())));
		works.forEach(this::resultOf);
		assertThat(section.written).hasValue(160 * effort());
		assertThat(section.mostReaders.get()).as("readers at a time").isGreaterThan(1);
		assertThat(events().losses).isEmpty();
		assertNothingLeft();
	}

	private void read(DefaultLockRegistry registry, Section section, int rounds) throws InterruptedException {
		for (int i = 0; i < rounds; i++) {
			LockRequest request = request().type(LockType.READ).waitTime(LockRequest.FOREVER);
			try (LockHandle handle = registry.acquire((i % 10 == 0) ? request.leaseTime(LEASE) : request)) {
				section.read(handle.fencingToken());
			}
		}
	}

	private void write(DefaultLockRegistry registry, Section section, int rounds) throws InterruptedException {
		for (int i = 0; i < rounds; i++) {
			LockRequest request = request().type(LockType.WRITE).waitTime(LockRequest.FOREVER);
			try (LockHandle handle = registry.acquire(request)) {
				section.write(handle.fencingToken());
			}
		}
	}

	private void readOnAfterWriting(DefaultLockRegistry registry, Section section, int rounds)
			throws InterruptedException {
		for (int i = 0; i < rounds; i++) {
			LockRequest request = request().waitTime(LockRequest.FOREVER);
			LockHandle write = registry.acquire(request.type(LockType.WRITE));
			section.write(write.fencingToken());
			try (LockHandle read = registry.acquire(request.type(LockType.READ))) {
				write.close();
				section.read(read.fencingToken());
			}
		}
	}

	/**
	 * What many may read or one may write at a time.
	 */
	final class Section {

		private static final int WRITER = 1_000_000;

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger mostReaders = new AtomicInteger();

		private final AtomicInteger written = new AtomicInteger();

		private final AtomicLong lastWrite = new AtomicLong();

		void read(long token) {
			int readers = this.inside.incrementAndGet();
			assertThat(readers).as("inside with a reader").isLessThan(WRITER);
			assertThat(token).isGreaterThanOrEqualTo(this.lastWrite.get());
			this.mostReaders.accumulateAndGet(readers, Math::max);
			Pauses.micros(50);
			this.inside.decrementAndGet();
		}

		void write(long token) {
			assertThat(this.inside.getAndAdd(WRITER)).as("inside with a writer").isZero();
			assertThat(token).isGreaterThan(this.lastWrite.getAndSet(token));
			this.written.incrementAndGet();
			Pauses.micros(50);
			this.inside.addAndGet(-WRITER);
		}

	}

}
