package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend;
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
 * Listeners, renewals, extensions, hold counts and running threads while a released lock
 * stays in this JVM: on a backend whose every answer the test gives.
 */
class HandoverTests {

	private static final int LIMIT = 2;

	/** However long a busy machine takes. */
	private static final Duration UNLIMITED = Duration.ofHours(1);

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
				new EngineSettings("one", Duration.ofSeconds(20), lease, maxHoldTime, false, LIMIT)
					.handoverAge(UNLIMITED),
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
		synchronized (hold.lock()) {
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

	private static List<CompletableFuture<LockHandle>> requests(DefaultLockRegistry registry, int count) {
		List<CompletableFuture<LockHandle>> requests = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			requests.add(registry.acquireAsync(LockRequest.of("name").waitTime(LockRequest.FOREVER)));
		}
		return requests;
	}

	private void assertNothingReleased() {
		assertThat(this.backend.releases).isEmpty();
		assertThat(this.backend.asks).isEmpty();
	}

}
