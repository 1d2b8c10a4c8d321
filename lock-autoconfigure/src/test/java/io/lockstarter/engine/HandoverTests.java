package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.engine.lock.Hold;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * When a released lock stays in this JVM, for how long, and with which token: on a
 * backend whose every answer the test gives.
 */
class HandoverTests {

	private static final int LIMIT = 2;

	/** How long others wait for hand-overs at most. */
	private static final long LONGEST_NANOS = 10_000_000;

	private static final long BASE = 5;

	private static final long FIRST_TOKEN = BASE * 1024;

	/** How many holds a tenure has tokens for. */
	private static final int BLOCK = 1024 * LockBackend.TOKEN_BASES;

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Events events = new Events();

	private final List<DefaultLockRegistry> opened = new ArrayList<>();

	private final DefaultLockRegistry registry = open(Duration.ofSeconds(30), null);

	private final Actor actor = new Actor();

	private DefaultLockRegistry open(Duration lease, Duration maxHoldTime) {
		DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
				new EngineSettings("one", Duration.ofSeconds(20), lease, maxHoldTime, false, LIMIT),
				List.of(this.events));
		this.opened.add(registry);
		return registry;
	}

	@AfterEach
	void close() {
		this.opened.forEach(DefaultLockRegistry::close);
		this.actor.dismiss();
	}

	@Test
	void handsAReleasedLockToTheNextWithoutAskingTheBackend() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 10);
		this.backend.asked().grant(BASE);
		for (int i = 0; i < 10; i++) {
			LockHandle handle = Actor.resultOf(requests.get(i));
			assertThat(handle.fencingToken()).isEqualTo(FIRST_TOKEN + i);
			assertThat(handle.isValid()).isTrue();
			assertNothingReleased();
			handle.releaseAsync();
			assertThat(handle.isValid()).isFalse();
		}
		Release release = this.backend.released().command();
		assertThat(release.intent()).isEqualTo(Intent.LEAVE);
		assertThat(release.alone()).isTrue();
		assertThat(this.backend.asks).isEmpty();
		assertThat(this.backend.renewals).isEmpty();
	}

	@Test
	void tellsListenersOfEveryHoldAndEveryHandover() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 3);
		this.backend.asked().grant(BASE);
		requests.forEach((request) -> Actor.resultOf(request).releaseAsync());
		this.backend.released().answer(Outcome.RELEASED);
		await().untilAsserted(() -> {
			assertThat(this.events.acquired).hasSize(3);
			assertThat(this.events.released).hasSize(3);
			assertThat(this.events.handedOver).hasSize(2);
		});
	}

	@Test
	void releasesInEarnestWhenNobodyWaitsHere() {
		LockHandle handle = granted(this.registry);
		handle.releaseAsync();
		this.backend.released();
	}

	@Test
	void keepsAFixedLeaseForTheOneWhoAskedForIt() {
		LockRequest fixed = LockRequest.of("name").leaseTime(Duration.ofSeconds(30));
		CompletableFuture<LockHandle> first = this.registry.acquireAsync(fixed);
		this.registry.acquireAsync(fixed);
		this.backend.asked().grant(BASE);
		Actor.resultOf(first).releaseAsync();
		// Whether it comes back before others or not is a matter of time.
		assertThat(this.backend.released().command().intent()).isIn(Intent.RETURN, Intent.YIELD);
	}

	@Test
	void handsNoRenewedLockToOneWhoWantsAFixedLease() {
		CompletableFuture<LockHandle> first = this.registry.acquireAsync(LockRequest.of("name"));
		this.registry.acquireAsync(LockRequest.of("name").leaseTime(Duration.ofSeconds(30)));
		this.backend.asked().grant(BASE);
		Actor.resultOf(first).releaseAsync();
		this.backend.released();
	}

	@Test
	void handsNoExtendedLeaseOn() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 2);
		this.backend.asked().grant(BASE);
		LockHandle handle = Actor.resultOf(requests.get(0));
		Future<?> extension = this.actor.begin(() -> handle.extend(Duration.ofHours(1)));
		this.backend.renewed().answer(true);
		Actor.resultOf(extension);
		handle.releaseAsync();
		this.backend.released();
	}

	/**
	 * The extension has the answer to a question about a tenure that is another's by now.
	 */
	@Test
	void isNotEndedByAnExtensionThatComesAfterTheRelease() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 2);
		this.backend.asked().grant(BASE);
		LockHandle first = Actor.resultOf(requests.get(0));
		Future<?> extension = this.actor.begin(() -> first.extend(Duration.ofHours(1)));
		ScriptedBackend.Renewal renewal = this.backend.renewed();
		first.releaseAsync();
		LockHandle second = Actor.resultOf(requests.get(1));
		renewal.answer(true);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> Actor.resultOf(extension));
		assertThat(this.backend.releases).isEmpty();
		assertThat(second.isValid()).isTrue();
	}

	@Test
	void handsNoLeaseOnThatIsHalfOver() {
		DefaultLockRegistry shortLived = open(Duration.ofMillis(600), null);
		List<CompletableFuture<LockHandle>> requests = requests(shortLived, 2);
		this.backend.asked().grant(BASE);
		LockHandle handle = Actor.resultOf(requests.get(0));
		// The renewal stays without an answer.
		this.backend.renewed();
		await().pollInterval(Duration.ofMillis(1))
			.until(() -> handle.remainingLease().compareTo(Duration.ofMillis(290)) < 0);
		handle.releaseAsync();
		this.backend.released();
	}

	@Test
	void handsNoLeaseOnThatIsNoLongerRenewed() {
		DefaultLockRegistry limited = open(Duration.ofMillis(900), Duration.ofMillis(900));
		List<CompletableFuture<LockHandle>> requests = requests(limited, 2);
		this.backend.asked().grant(BASE);
		LockHandle handle = Actor.resultOf(requests.get(0));
		// Most of the last lease is left then.
		await().pollInterval(Duration.ofMillis(1)).until(() -> {
			this.backend.renewals.forEach((renewal) -> renewal.answer(true));
			return limited.held().get(0).renewal() == LockMonitor.RenewalState.STOPPED;
		});
		handle.releaseAsync();
		assertThat(this.backend.releases).as("by the one who releases").isNotEmpty();
		assertThat(this.backend.released().command().tenure().sequence()).isOne();
	}

	/** Between the watchdog's look at the holder and its conclusion. */
	@Test
	void renewsALeaseThatIsHandedOnAsItsHoldersTimeIsFoundToBeOver() {
		Duration longest = Duration.ofMillis(900);
		DefaultLockRegistry limited = open(longest, longest);
		List<CompletableFuture<LockHandle>> requests = requests(limited, 2);
		this.backend.asked().grant(BASE);
		LockHandle handle = Actor.resultOf(requests.get(0));
		Hold hold = (Hold) ReflectionTestUtils.getField(handle, "hold");
		synchronized (hold.home()) {
			await().pollInterval(Duration.ofMillis(1)).until(() -> {
				this.backend.renewals.forEach((renewal) -> renewal.answer(true));
				return hold.heldFor().compareTo(longest) > 0 && isWatchdogBlocked();
			});
			this.backend.renewals.clear();
			handle.releaseAsync();
		}
		assertThat(Actor.resultOf(requests.get(1)).isValid()).isTrue();
		this.backend.renewed().answer(true);
		assertThat(limited.held()).extracting(LockMonitor.Held::renewal)
			.doesNotContain(LockMonitor.RenewalState.STOPPED);
	}

	private static boolean isWatchdogBlocked() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().equals("lock-timer") && thread.getState() == Thread.State.BLOCKED);
	}

	@Test
	void goesOnForALimitedNumberOfHoldsOnceAnotherClientWaits() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 10);
		this.backend.asked().grant(BASE);
		Actor.resultOf(requests.get(0)).releaseAsync();
		Actor.resultOf(requests.get(1)).releaseAsync();
		assertLimited(requests.subList(2, 10), this.backend::wanted);
	}

	@Test
	void isLimitedFromTheStartIfOthersWaitAlready() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 10);
		ScriptedBackend.Ask ask = this.backend.asked();
		assertLimited(requests, () -> ask.grant(BASE, true));
	}

	@Test
	void isLimitedIfADemandCameBeforeTheGrant() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 10);
		ScriptedBackend.Ask ask = this.backend.asked();
		this.backend.wanted();
		assertLimited(requests, () -> ask.grant(BASE));
	}

	@Test
	void isLimitedWhileItCannotHearOthers() {
		this.backend.listening = false;
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 10);
		ScriptedBackend.Ask ask = this.backend.asked();
		assertLimited(requests, () -> ask.grant(BASE));
	}

	@Test
	void isLimitedWhenMessagesMayHaveBeenMissed() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 10);
		this.backend.asked().grant(BASE);
		LockHandle first = Actor.resultOf(requests.get(0));
		assertLimited(requests, this.backend::wakeAll);
		assertThat(first.isValid()).isFalse();
	}

	/**
	 * Go through the holds that follow a demand until the lock is yielded.
	 * @param demand from when on another client waits
	 */
	private void assertLimited(List<CompletableFuture<LockHandle>> requests, Runnable demand) {
		long start = System.nanoTime();
		demand.run();
		int handedOver = -1;
		while (this.backend.releases.isEmpty()) {
			handedOver++;
			LockHandle handle = Actor.resultOf(requests.get(handedOver));
			handle.releaseAsync();
		}
		if (System.nanoTime() - start < LONGEST_NANOS) {
			assertThat(handedOver).isEqualTo(LIMIT);
		}
		else {
			// The machine has stood still, and the time was over before the number.
			assertThat(handedOver).isBetween(0, LIMIT);
		}
		assertThat(this.backend.asks).isEmpty();
		assertYields();
	}

	@Test
	void endsAfterATimeOnceAnotherClientWaits() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 2);
		this.backend.asked().grant(BASE);
		LockHandle handle = Actor.resultOf(requests.get(0));
		this.backend.wanted();
		await().pollDelay(Duration.ofMillis(20)).until(handle::isValid);
		handle.releaseAsync();
		assertYields();
	}

	@Test
	void releasesAndAsksAgainWhenTheTokensOfATenureAreUsed() {
		this.backend.ordered = true;
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, BLOCK + 1);
		this.backend.asked().grant(BASE);
		for (int i = 0; i < BLOCK; i++) {
			assertNothingReleased();
			LockHandle handle = Actor.resultOf(requests.get(i));
			assertThat(handle.fencingToken()).isEqualTo(FIRST_TOKEN + i);
			handle.releaseAsync();
		}
		ScriptedBackend.Give release = this.backend.released();
		assertThat(release.command().intent()).isEqualTo(Intent.RETURN);
		release.answer(Outcome.RELEASED);
		this.backend.asked().grant(BASE + LockBackend.TOKEN_BASES);
		assertThat(Actor.resultOf(requests.get(BLOCK)).fencingToken()).isEqualTo(FIRST_TOKEN + BLOCK);
		assertThat(this.backend.renewals).as("questions for more tokens").isEmpty();
	}

	@Test
	void givesRisingTokensToMoreHoldsThanATenureHasTokensFor() {
		try (DefaultLockRegistry inMemory = new DefaultLockRegistry(new InMemoryLockBackend(new InMemoryLockStore()),
				new EngineSettings("one", Duration.ofSeconds(20), Duration.ofSeconds(30), null, false, LIMIT),
				List.of())) {
			long last = 0;
			for (CompletableFuture<LockHandle> request : requests(inMemory, 2 * BLOCK + 1)) {
				LockHandle handle = Actor.resultOf(request);
				assertThat(handle.fencingToken()).isGreaterThan(last);
				last = handle.fencingToken();
				handle.releaseAsync();
			}
		}
	}

	@Test
	void grantsAShareOfItsOwnToAReaderForWhomAShareHasNoToken() {
		List<CompletableFuture<LockHandle>> readers = new ArrayList<>();
		for (int i = 0; i <= BLOCK; i++) {
			readers.add(this.registry
				.acquireAsync(LockRequest.of("name").type(LockType.READ).waitTime(LockRequest.FOREVER)));
		}
		this.backend.asked().grant(BASE);
		for (int i = 0; i < BLOCK; i++) {
			assertThat(Actor.resultOf(readers.get(i)).fencingToken()).isEqualTo(FIRST_TOKEN + i);
		}
		this.backend.asked().grant(BASE + LockBackend.TOKEN_BASES);
		assertThat(Actor.resultOf(readers.get(BLOCK)).fencingToken()).isEqualTo(FIRST_TOKEN + BLOCK);
		assertThat(this.backend.releases).isEmpty();
	}

	@Test
	void tellsTheHolderOfTheMomentWhenTheTenureIsLost() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 3);
		this.backend.asked().grant(BASE);
		Actor.resultOf(requests.get(0)).releaseAsync();
		LockHandle second = Actor.resultOf(requests.get(1));
		Future<?> extension = this.actor.begin(() -> second.extend(Duration.ofMinutes(1)));
		this.backend.renewed().answer(false);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Actor.resultOf(extension));
		await().until(() -> !this.events.losses.isEmpty());
		LockLoss loss = this.events.losses.get(0);
		assertThat(loss.fencingToken()).isEqualTo(FIRST_TOKEN + 1);
		assertThat(loss.reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
		this.backend.asked().grant(BASE + 100);
		assertThat(Actor.resultOf(requests.get(2)).fencingToken()).isEqualTo((BASE + 100) * 1024);
		assertThat(this.events.losses).hasSize(1);
	}

	@Test
	void renewsTheTenureWhoeverHoldsIt() {
		DefaultLockRegistry shortLived = open(Duration.ofMillis(300), null);
		List<CompletableFuture<LockHandle>> requests = requests(shortLived, 2);
		this.backend.asked().grant(BASE);
		Actor.resultOf(requests.get(0)).releaseAsync();
		LockHandle second = Actor.resultOf(requests.get(1));
		for (int i = 0; i < 4; i++) {
			ScriptedBackend.Renewal renewal = this.backend.renewed();
			assertThat(renewal.command().tenure().sequence()).isOne();
			renewal.answer(true);
		}
		await().until(() -> this.events.renewals.get() == 4);
		assertThat(second.isValid()).isTrue();
	}

	@Test
	void writesTheCountOfTheNextHoldNotOfTheLast() throws Exception {
		NamedLock lock = this.registry.get("name");
		Future<?> nesting = this.actor.begin(() -> {
			lock.lock();
			lock.lock();
			lock.lock();
		});
		this.backend.asked().grant(BASE);
		Actor.resultOf(nesting);
		ScriptedBackend.Renewal write = this.backend.renewed();
		assertThat(write.command().holds()).as("written beside the caller").isBetween(2, 3);
		CompletableFuture<LockHandle> next = this.registry.acquireAsync(LockRequest.of("name"));
		this.actor.run(() -> {
			lock.unlock();
			lock.unlock();
			lock.unlock();
		});
		assertThat(Actor.resultOf(next).isValid()).isTrue();
		write.answer(true);
		assertThat(this.backend.renewed().command().holds()).isEqualTo(1);
	}

	@Test
	void aRunningThreadOvertakesTheOneItHasJustWoken() {
		NamedLock lock = this.registry.get("name");
		Future<?> running = this.actor.begin(lock::lock);
		this.backend.asked().grant(BASE);
		Actor.resultOf(running);
		Actor sleeper = new Actor();
		try {
			Future<Long> waiting = sleeper.ask(() -> {
				lock.lock();
				return lock.fencingToken();
			});
			await().until(() -> this.registry.waitingCount() == 1);
			this.actor.begin(() -> {
				while (!waiting.isDone()) {
					lock.unlock();
					lock.lock();
				}
			});
			// However busy the other was: within the bounds of a turn.
			assertThat(Actor.resultOf(waiting)).isBetween(FIRST_TOKEN + 1, FIRST_TOKEN + 1 + 256);
			assertNothingReleased();
		}
		finally {
			sleeper.dismiss();
		}
	}

	@Test
	void givesTheTenureBackWhenTheOneItIsOfferedToHasGone() throws Exception {
		NamedLock lock = this.registry.get("name");
		Future<?> holding = this.actor.begin(lock::lock);
		this.backend.asked().grant(BASE);
		Actor.resultOf(holding);
		CompletableFuture<LockHandle> waiting = this.registry.acquireAsync(LockRequest.of("name"));
		waiting.cancel(false);
		this.actor.begin(lock::unlock);
		this.backend.released().answer(Outcome.RELEASED);
		await().until(() -> this.registry.heldCount() == 0);
	}

	@Test
	void refusesOneWhoDoesNotWaitWhileOthersDo() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 2);
		this.backend.asked().grant(BASE);
		LockHandle first = Actor.resultOf(requests.get(0));
		CompletableFuture<LockHandle> impatient = this.registry
			.acquireAsync(LockRequest.of("name").waitTime(Duration.ZERO));
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> Actor.resultOf(impatient));
		first.releaseAsync();
		assertThat(Actor.resultOf(requests.get(1)).isValid()).isTrue();
	}

	@Test
	void handsNothingOverOnceTheRegistryIsClosed() {
		List<CompletableFuture<LockHandle>> requests = requests(this.registry, 2);
		this.backend.asked().grant(BASE);
		LockHandle first = Actor.resultOf(requests.get(0));
		Future<Boolean> shutdown = this.actor.ask(() -> this.registry.shutdown(Duration.ofSeconds(10)));
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(requests.get(1)));
		first.releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
		assertThat(Actor.resultOf(shutdown)).isTrue();
	}

	private static List<CompletableFuture<LockHandle>> requests(DefaultLockRegistry registry, int count) {
		List<CompletableFuture<LockHandle>> requests = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			requests.add(registry.acquireAsync(LockRequest.of("name").waitTime(LockRequest.FOREVER)));
		}
		return requests;
	}

	private LockHandle granted(DefaultLockRegistry registry) {
		CompletableFuture<LockHandle> request = requests(registry, 1).get(0);
		this.backend.asked().grant(BASE);
		return Actor.resultOf(request);
	}

	private void assertNothingReleased() {
		assertThat(this.backend.releases).isEmpty();
		assertThat(this.backend.asks).isEmpty();
	}

	private void assertYields() {
		assertThat(this.backend.released().command().intent()).isEqualTo(Intent.YIELD);
	}

}
