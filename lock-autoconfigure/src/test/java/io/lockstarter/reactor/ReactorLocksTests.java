package io.lockstarter.reactor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ReactorLocks}.
 */
class ReactorLocksTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockRequest JOB = LockRequest.of("job");

	private static final LockRequest ONCE = JOB.waitTime(Duration.ZERO);

	private final InMemoryLockBackend backend = new InMemoryLockBackend(new InMemoryLockStore());

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("here", SOON, Duration.ofSeconds(30), null, false, 64), List.of());

	private final ReactorLocks locks = new ReactorLocks(this.registry);

	private final Sinks.One<String> result = Sinks.one();

	private final List<String> seen = new CopyOnWriteArrayList<>();

	@AfterEach
	void nothingIsLeft() {
		await().until(() -> this.registry.waitingCount() == 0 && this.registry.heldCount() == 0);
		this.registry.close();
		this.backend.close();
	}

	@Test
	void holdsFromSubscriptionUntilTheResultIsThere() {
		Mono<String> work = this.locks.withLock(JOB, this.result.asMono());
		assertThat(this.registry.heldCount()).isZero();
		work.subscribe(this::see);
		await().until(this::isSubscribed);
		assertThat(this.registry.held()).extracting("name").containsExactly("job");
		assertThat(this.seen).isEmpty();
		this.result.tryEmitValue("done").orThrow();
		await().untilAsserted(() -> assertThat(this.seen).containsExactly("done while 0 are held"));
	}

	@Test
	void holdsUntilTheLastOfManySignals() {
		Sinks.Many<String> signals = Sinks.many().unicast().onBackpressureBuffer();
		this.locks.withLock(JOB, signals.asFlux()).doOnComplete(() -> see("completed")).subscribe(this::see);
		signals.tryEmitNext("first").orThrow();
		await().untilAsserted(() -> assertThat(this.seen).containsExactly("first while 1 are held"));
		signals.tryEmitComplete().orThrow();
		await().untilAsserted(() -> assertThat(this.seen).endsWith("completed while 0 are held"));
	}

	@Test
	void tellsTheErrorOfTheWorkAfterTheRelease() {
		IllegalStateException business = new IllegalStateException("business");
		Mono<String> work = this.locks.withLock(JOB, Mono.<String>error(business))
			.doOnError((failure) -> see("failed"));
		assertThatIllegalStateException().isThrownBy(() -> work.block(SOON)).isSameAs(business);
		assertThat(this.seen).containsExactly("failed while 0 are held");
	}

	@Test
	void releasesWhenTheSubscriberCancels() {
		AtomicBoolean cancelled = new AtomicBoolean();
		Disposable subscription = this.locks
			.withLock(JOB, this.result.asMono().doOnCancel(() -> cancelled.set(this.registry.heldCount() == 1)))
			.subscribe();
		await().until(this::isSubscribed);
		subscription.dispose();
		await().until(() -> this.registry.heldCount() == 0);
		assertThat(cancelled).as("cancelled under the lock").isTrue();
	}

	@Test
	void releasesWhenTheSubscriberHasEnough() {
		assertThat(this.locks.withLock(JOB, Flux.interval(Duration.ofMillis(1))).take(3).collectList().block(SOON))
			.containsExactly(0L, 1L, 2L);
	}

	@Test
	void withdrawsTheRequestOfASubscriberThatCancels() throws InterruptedException {
		try (LockHandle other = hold()) {
			Disposable subscription = this.locks.withLock(JOB, this.result.asMono()).subscribe();
			await().until(() -> this.registry.waitingCount() == 1);
			subscription.dispose();
			await().until(() -> this.registry.waitingCount() == 0);
			assertThat(isSubscribed()).isFalse();
		}
	}

	@Test
	void failsWhereTheLockIsNotFreeInTime() throws InterruptedException {
		try (LockHandle other = hold()) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> this.locks.withLock(ONCE, this.result.asMono()).block(SOON));
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> this.locks.withLock(ONCE, this.result.asMono().flux()).blockLast(SOON));
			assertThat(isSubscribed()).isFalse();
		}
	}

	@Test
	void goesOtherwiseWhereTheLockIsNotFreeInTime() throws InterruptedException {
		try (LockHandle other = hold()) {
			Mono<String> one = this.locks.tryWithLock(ONCE, this.result.asMono(), Mono.just("busy"));
			Flux<String> many = this.locks.tryWithLock(ONCE, this.result.asMono().flux(), Mono.just("busy"));
			assertThat(one.block(SOON)).isEqualTo("busy");
			assertThat(many.collectList().block(SOON)).containsExactly("busy");
			assertThat(this.locks.tryWithLock(ONCE, this.result.asMono(), Mono.empty()).blockOptional(SOON)).isEmpty();
			assertThat(isSubscribed()).isFalse();
		}
		Mono<String> free = this.locks.tryWithLock(ONCE, Mono.just("done"), Mono.just("busy"));
		assertThat(free.block(SOON)).isEqualTo("done");
	}

	/** What the work runs into is its own affair. */
	@Test
	void doesNotGoOtherwiseForALockThatTheWorkDoesNotGet() throws InterruptedException {
		LockRequest free = LockRequest.of("free");
		try (LockHandle other = hold()) {
			Mono<String> work = this.locks.tryWithLock(free, this.locks.withLock(ONCE, this.result.asMono()),
					Mono.just("busy"));
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> work.block(SOON));
		}
	}

	@Test
	void tellsALossInThePlaceOfTheResult() {
		Mono<String> work = this.locks.withLock(JOB,
				Mono.fromCallable(() -> this.registry.forceRelease("job")).thenReturn("done"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> work.block(SOON));
	}

	@Test
	void tellsALossBesideTheErrorOfTheWork() {
		IllegalStateException business = new IllegalStateException("business");
		Mono<String> work = this.locks.withLock(JOB,
				Mono.fromCallable(() -> this.registry.forceRelease("job")).then(Mono.error(business)));
		assertThatIllegalStateException().isThrownBy(() -> work.block(SOON))
			.isSameAs(business)
			.satisfies((failure) -> assertThat(failure.getSuppressed())
				.hasAtLeastOneElementOfType(LockLostException.class));
	}

	@Test
	void tellsTheLockInThePipeline() {
		Mono<String> name = ReactorLocks.current().map(LockHandle::name);
		assertThat(this.locks.withLock(JOB, name.delaySubscription(Duration.ofMillis(1))).block(SOON)).isEqualTo("job");
		assertThat(this.locks.withLock(JOB, Mono.fromSupplier(() -> LockContext.current().name())).block(SOON))
			.isEqualTo("job");
		assertThatIllegalStateException().isThrownBy(() -> name.block(SOON))
			.withMessageContaining("This pipeline holds no lock");
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void eachSubscriptionTakesTheLockAnew() {
		Mono<Long> token = this.locks.withLock(JOB, ReactorLocks.current().map(LockHandle::fencingToken));
		assertThat(token.repeat(2).collectList().block(SOON)).hasSize(3).doesNotHaveDuplicates().isSorted();
	}

	@Test
	void takesAgainWhatItHolds() {
		Mono<String> inner = this.locks.withLock(ONCE, Mono.just("inner")).subscribeOn(Schedulers.parallel());
		Mono<String> outer = this.locks.withLock(JOB, inner.delaySubscription(Duration.ofMillis(1)));
		assertThat(outer.block(SOON)).isEqualTo("inner");
	}

	@Test
	void takesAgainWhatTheTaskHoldsInWhichItIsMade() throws Exception {
		LockHandle task = this.registry.acquire(JOB.owner(LockOwner.create("task")));
		try (task; LockContext.Scope scope = LockContext.enter(task)) {
			assertThat(this.locks.withLock(ONCE, Mono.just("inner")).block(SOON)).isEqualTo("inner");
		}
	}

	/** The pipeline may outlive what the thread does. */
	@Test
	void doesNotTakeAgainWhatAThreadHolds() throws Exception {
		this.registry.execute(JOB, () -> assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> this.locks.withLock(ONCE, this.result.asMono()).block(SOON)));
	}

	@Test
	void keepsTheOwnerOfTheRequest() {
		LockOwner owner = LockOwner.create("mine");
		assertThat(this.locks.withLock(JOB.owner(owner), ReactorLocks.current().map(LockHandle::owner)).block(SOON))
			.isEqualTo(owner);
	}

	@Test
	void refusesAThreadAsTheOwner() {
		Mono<String> work = this.locks.withLock(JOB.owner(LockOwner.currentThread()), this.result.asMono());
		assertThatIllegalArgumentException().isThrownBy(() -> work.block(SOON))
			.withMessageContaining("cannot belong to a thread");
	}

	@Test
	void isPartOfAChain() {
		assertThat(Mono.just("done").transform((work) -> this.locks.withLock(JOB, work)).block(SOON)).isEqualTo("done");
		assertThat(Flux.just("a", "b").transform((work) -> this.locks.withLock(JOB, work)).collectList().block(SOON))
			.containsExactly("a", "b");
	}

	/** All subscribe, wait and work on one thread. */
	@Test
	void waitingBlocksNoThread() {
		Scheduler thread = Schedulers.newSingle("one");
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Mono<Long> work = Mono.defer(() -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			return Mono.delay(Duration.ofMillis(1), thread).doOnTerminate(running::decrementAndGet);
		});
		Flux<Long> all = Flux.range(0, 100).flatMap((i) -> this.locks.withLock(JOB, work).subscribeOn(thread), 100);
		assertThat(all.count().block(SOON)).isEqualTo(100);
		assertThat(most).hasValue(1);
		thread.dispose();
	}

	@Test
	void letsInAsManyAsThereArePermits() {
		LockRequest three = JOB.permits(3);
		for (int i = 0; i < 3; i++) {
			this.locks.withLock(three, this.result.asMono()).subscribe(this::see);
		}
		await().until(() -> this.result.currentSubscriberCount() == 3);
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> this.locks.withLock(three.waitTime(Duration.ZERO), Mono.just("fourth")).block(SOON));
		this.result.tryEmitValue("done").orThrow();
		await().until(() -> this.seen.size() == 3);
	}

	@Test
	void cancellationAtAnyTimeLeavesNothingBehind() {
		Random random = new Random(42);
		List<Disposable> subscriptions = new ArrayList<>();
		Mono<Long> work = Mono.delay(Duration.ofNanos(200_000));
		for (int i = 0; i < 500; i++) {
			Disposable subscription = this.locks.withLock(LockRequest.of("job" + i % 10), work)
				.subscribeOn(Schedulers.parallel())
				.subscribe();
			subscriptions.add(subscription);
			Schedulers.parallel().schedule(subscription::dispose, random.nextInt(20_000), TimeUnit.MICROSECONDS);
		}
		await().until(() -> subscriptions.stream().allMatch(Disposable::isDisposed));
	}

	private LockHandle hold() throws InterruptedException {
		return this.registry.acquire(JOB.owner(LockOwner.create("other")));
	}

	private boolean isSubscribed() {
		return this.result.currentSubscriberCount() > 0;
	}

	private void see(String signal) {
		this.seen.add("%s while %d are held".formatted(signal, this.registry.heldCount()));
	}

}
