package io.lockstarter.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

/**
 * A network that loses, delays and repeats what is sent over it.
 */
class NetworkFaultTests extends ProxiedRedis {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private static final LockRequest PERMIT = LockRequest.of("a").permits(2);

	private static final Duration FOR_EVER = Duration.ofMinutes(5);

	@Test
	void acquireWhoseReplyIsLostHoldsOnceAndIsFreedByOneUnlock() throws Exception {
		NamedLock lock = proxied(LEASE).get("a");
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo(key("a"));
		lock.lock();
		assertThat(dropped).isCompleted();
		assertThat(holdCounts("a")).containsExactly("1");
		assertThat(lock.holdCount()).isEqualTo(1);
		lock.unlock();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void acquireThatIsCutOffBeforeRedisSeesItHoldsOnce() throws Exception {
		NamedLock lock = proxied(LEASE).get("a");
		CompletableFuture<Void> cut = this.proxy.cutBeforeRequest(key("a"));
		lock.lock();
		assertThat(cut).isCompleted();
		assertThat(holdCounts("a")).containsExactly("1");
		lock.unlock();
		assertThat(isLocked("a")).isFalse();
	}

	/** The client library sends it again, and a replica refuses it. */
	@Test
	void acquireThatIsRefusedAfterItsReplyWasLostIsEnded() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(30));
		this.proxy.holdReplies();
		Future<LockHandle> refused = async(() -> registry.acquire(LockRequest.of("a")));
		await().pollInterval(Duration.ofMillis(1)).until(() -> isLocked("a"));
		this.redis.cli("REPLICAOF", "127.0.0.1", "1");
		this.proxy.cutAll();
		this.proxy.releaseHeld();
		assertThat(refused).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockBackendException.class, (failure) -> {
				assertThat(failure.reason()).isEqualTo(Reason.READ_ONLY);
				assertThat(failure.mayHaveRun()).isTrue();
			});
		assertThat(isLocked("a")).isTrue();
		this.redis.cli("REPLICAOF", "NO", "ONE");
		await().until(() -> !isLocked("a"));
	}

	@Test
	void acquireThatArrivesAgainAfterItsReleaseTakesNothing() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		CompletableFuture<Void> kept = this.proxy.holdRequest(key("a"));
		LockHandle handle = registry.acquire(LockRequest.of("a"));
		assertThat(kept).isCompleted();
		handle.close();
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(isLocked("a")).isFalse();
		LockHandle next = registry.acquire(LockRequest.of("a"));
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		next.close();
	}

	@Test
	void releaseWhoseReplyIsLostIsUnconfirmedAndNoLoss() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		LockHandle handle = registry.acquire(LockRequest.of("a"));
		this.proxy.holdReplies();
		CompletableFuture<Void> released = handle.releaseAsync().toCompletableFuture();
		await().until(() -> !isLocked("a"));
		this.proxy.cutAll();
		this.proxy.releaseHeld();
		assertThat(released).succeedsWithin(PATIENCE);
		await().until(() -> this.events.unconfirmedReleases.get() == 1);
		assertThat(this.events.losses).isEmpty();
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void acquireThatArrivesAgainDoesNotDisturbTheNextHolder() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		this.proxy.holdRequest(key("a"));
		registry.acquire(LockRequest.of("a")).close();
		LockHandle next = registry(LEASE).acquire(LockRequest.of("a"));
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(holdCounts("a")).containsExactly("1");
		next.ensureLease(LEASE.minusMillis(100));
		next.close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void acquireThatArrivesAfterItsCancellationTakesNothing() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		CompletableFuture<Void> kept = this.proxy.holdRequest(key("a"));
		CompletableFuture<LockHandle> acquiring = registry.acquireAsync(LockRequest.of("a"));
		kept.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		// No second attempt of the client library gets through in time.
		this.proxy.refuse();
		this.proxy.cutAll();
		assertThat(acquiring).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockBackendException.class);
		this.proxy.accept();
		await().until(() -> this.redis.cli("EXISTS", clients("a")).equals(1L));
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(isLocked("a")).isFalse();
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void lockWhoseReplyComesTooLateIsFreedWhenTheNetworkHeals() throws Exception {
		within("acquiring without a reply", Duration.ofMillis(2500), () -> {
			DefaultLockRegistry registry = proxied(LEASE);
			this.proxy.holdReplies();
			long start = System.nanoTime();
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a").leaseTime(FOR_EVER)))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
			Duration took = since(start);
			this.proxy.releaseHeld();
			await().until(() -> !isLocked("a"));
			registry.acquire(LockRequest.of("a")).close();
			assertThat(isLocked("a")).isFalse();
			return took;
		});
	}

	@Test
	void acquireDelayedBeyondItsTimeoutIsFreedWhenTheNetworkHeals() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		this.proxy.holdRequests();
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of("a").leaseTime(FOR_EVER)))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
		this.proxy.releaseHeld();
		await().during(Duration.ofMillis(500)).until(() -> !isLocked("a"));
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void releaseWhoseReplyIsLostReturnsNormally() throws Exception {
		LockHandle handle = proxied(LEASE).acquire(LockRequest.of("a"));
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo(key("a"));
		handle.close();
		assertThat(dropped).isCompleted();
		assertThat(isLocked("a")).isFalse();
		await().untilAtomic(this.events.releases, equalTo(1));
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void releaseWithoutAReplyReturnsInTimeAndGoesOnInTheBackground() throws Exception {
		within("releasing without a reply", Duration.ofMillis(2500), () -> {
			LockHandle handle = proxied(LEASE).acquire(LockRequest.of("a").leaseTime(FOR_EVER));
			this.proxy.holdRequests();
			long start = System.nanoTime();
			handle.close();
			Duration took = since(start);
			await().untilAtomic(this.events.unconfirmedReleases, equalTo(1));
			assertThat(isLocked("a")).isTrue();
			this.proxy.releaseHeld();
			await().until(() -> !isLocked("a"));
			assertThat(this.events.losses).isEmpty();
			return took;
		});
	}

	@Test
	void releaseThatArrivesAgainDoesNotFreeTheNextHolder() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		LockHandle handle = registry.acquire(LockRequest.of("a"));
		CompletableFuture<Void> kept = this.proxy.holdRequest(key("a"));
		handle.close();
		assertThat(kept).isCompleted();
		LockHandle next = registry.acquire(LockRequest.of("a"));
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(isLocked("a")).isTrue();
		next.extend(LEASE);
		next.close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void releaseThatIsCutOffHardlyDelaysTheNextAcquire() throws Exception {
		within("lock taken again by the same instance after a release was cut off", Duration.ofMillis(500), () -> {
			DefaultLockRegistry registry = proxied(LEASE);
			LockHandle handle = registry.acquire(LockRequest.of("a"));
			CompletableFuture<Void> cut = this.proxy.cutBeforeRequest(key("a"));
			handle.close();
			long closed = System.nanoTime();
			assertThat(cut).isCompleted();
			registry.acquire(LockRequest.of("a")).close();
			return since(closed);
		});
	}

	@Test
	void renewalWhoseReplyIsLostKeepsTheLock() throws Exception {
		LockHandle handle = proxied(Duration.ofSeconds(3)).acquire(LockRequest.of("a"));
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo(key("a"));
		assertThat(dropped).succeedsWithin(PATIENCE);
		int before = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > before + 1);
		assertThat(handle.isValid()).isTrue();
		assertThat(this.events.losses).isEmpty();
		handle.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void silenceInOneDirectionIsLossByTheDeadlineAndBlocksNobody(boolean requests) throws Exception {
		within("loss told after the local deadline, silent " + (requests ? "requests" : "replies"),
				Duration.ofMillis(400), () -> {
					LockHandle handle = proxied(Duration.ofMillis(1500)).acquire(LockRequest.of("a"));
					await().until(() -> this.events.renewals.get() >= 1);
					if (requests) {
						this.proxy.holdRequests();
					}
					else {
						this.proxy.holdReplies();
					}
					long deadline = System.nanoTime() + handle.remainingLease().toNanos();
					long late = this.events.loss().at() - deadline;
					assertThat(late).as("not told too early").isGreaterThan(-1_000_000);
					assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
					assertThat(this.events.failedRenewals).hasPositiveValue();
					assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
					this.proxy.releaseHeld();
					await().until(() -> !isLocked("a"));
					return Duration.ofNanos(late);
				});
	}

	@Test
	void lockIsKeptWhileTheConnectionIsCutAgainAndAgain() throws Exception {
		Duration lease = Duration.ofSeconds(6);
		LockHandle handle = proxied(lease).acquire(LockRequest.of("a"));
		for (int cuts = 0; cuts < 15 || this.events.renewals.get() < 2; cuts++) {
			this.proxy.cutAll();
			awaitElapsed(Duration.ofMillis(100));
			// A busy machine may take longer to reconnect.
			await().until(() -> handle.remainingLease().compareTo(lease.dividedBy(2)) > 0);
			assertThat(this.events.losses).isEmpty();
		}
		assertThat(handle.isValid()).isTrue();
		handle.close();
		await().until(() -> !isLocked("a"));
	}

	/** When a release has returned, the permit is free for a request that tries once. */
	@Test
	void permitIsFreeThatIsReleasedWhileAnotherIsAcquired() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(30));
		NamedLock elsewhere = registry(Duration.ofSeconds(30)).get(PERMIT);
		LockHandle first = registry.acquireAsync(PERMIT).get();
		elsewhere.tryLock();
		elsewhere.unlock();
		this.proxy.holdReplies();
		CompletableFuture<LockHandle> second = registry.acquireAsync(PERMIT);
		await().until(() -> holdCounts("a").size() == 2);
		CompletableFuture<?> released = first.releaseAsync().toCompletableFuture();
		await().until(() -> released.isDone() || holdCounts("a").size() == 1);
		assertThat(elsewhere.tryLock()).isTrue();
		elsewhere.unlock();
		this.proxy.releaseHeld();
		released.get();
		second.get().releaseAsync().toCompletableFuture().get();
	}

	/** Whoever waits may be granted a permit at the moment when one is released here. */
	@Test
	void permitIsFreeThatIsReleasedWhileAnotherIsWaitedFor() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(30));
		DefaultLockRegistry other = registry(Duration.ofSeconds(30));
		NamedLock elsewhere = registry(Duration.ofSeconds(30)).get(PERMIT);
		assertThat(elsewhere.tryLock()).isTrue();
		elsewhere.unlock();
		LockHandle first = registry.acquireAsync(PERMIT).get();
		LockHandle held = other.acquireAsync(PERMIT).get();
		CompletableFuture<LockHandle> waiting = registry.acquireAsync(PERMIT);
		await().until(this::isWaitedFor);
		await().until(this::isSubscribed);
		this.proxy.holdRequests();
		CompletableFuture<?> released = first.releaseAsync().toCompletableFuture();
		held.releaseAsync().toCompletableFuture().get();
		if (!released.isDone()) {
			this.proxy.releaseHeld();
			released.get();
		}
		assertThat(elsewhere.tryLock()).isTrue();
		elsewhere.unlock();
		this.proxy.releaseHeld();
		waiting.get().releaseAsync().toCompletableFuture().get();
	}

}
