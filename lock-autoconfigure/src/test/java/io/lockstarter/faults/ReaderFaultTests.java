package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Readers and writers that are killed or frozen, and a Redis that is full.
 */
class ReaderFaultTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration SHORT_LEASE = Duration.ofMillis(1500);

	/** After which time a waiter asks again by itself, on a busy machine. */
	private static final Duration RECHECK = Duration.ofMillis(1500);

	private static final LockRequest READ = LockRequest.of("a").type(LockType.READ);

	private static final LockRequest WRITE = LockRequest.of("a").type(LockType.WRITE);

	@Tag("stress")
	@Test
	void writerGetsInAfterAKilledReaderAndTheLivingOnes() throws Exception {
		within("writer let in after the last living reader had left", RECHECK, () -> {
			DefaultLockRegistry registry = registry(LEASE);
			Registries.warmUp(registry);
			LockHandle living = registry(LEASE).acquire(READ);
			ChildJvm dead = start(LockType.READ, SHORT_LEASE);
			Claimant.awaitHeld(dead);
			CompletableFuture<LockHandle> writer = registry.acquireAsync(WRITE);
			Claimant.awaitFirstInLine(this.redis);
			dead.kill();
			long over = System.nanoTime() + SHORT_LEASE.toNanos();
			// The dead one had the shorter lease: the living one alone keeps the writer
			// out.
			awaitTime(over + 200_000_000);
			assertThat(writer).isNotDone();
			assertThat(living.isValid()).isTrue();
			long left = System.nanoTime();
			living.close();
			writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			return since(left);
		});
	}

	@Test
	void shareOfAKilledReaderIsFreeWhenItsLeaseIsOver() throws Exception {
		within("writer let in after a reader with a lease of 1500 ms was killed", SHORT_LEASE.plus(RECHECK), () -> {
			DefaultLockRegistry registry = registry(LEASE);
			Registries.warmUp(registry);
			ChildJvm dead = start(LockType.READ, SHORT_LEASE);
			Claimant.awaitHeld(dead);
			// Another reader makes the key live much longer than the share of the dead
			// one.
			LockHandle living = registry(LEASE).acquire(READ);
			CompletableFuture<LockHandle> writer = registry.acquireAsync(WRITE);
			Claimant.awaitFirstInLine(this.redis);
			dead.kill();
			long killed = System.nanoTime();
			living.close();
			assertThat(remainingLease("a")).isGreaterThan(LEASE.dividedBy(2));
			writer.get(LEASE.dividedBy(3).toSeconds(), TimeUnit.SECONDS);
			return since(killed);
		});
	}

	@Tag("stress")
	@Test
	void killedWriterThatWaitedKeepsNewReadersOutForThreeSecondsAtMost() throws Exception {
		readersGetPast("killed", ChildJvm::kill);
	}

	@Tag("stress")
	@Test
	void frozenWriterThatWaitedKeepsNewReadersOutForThreeSecondsAtMost() throws Exception {
		readersGetPast("frozen", ChildJvm::stop);
	}

	private void readersGetPast(String what, Consumer<ChildJvm> fault) throws Exception {
		within("reader let in past a writer that waited and was " + what, Duration.ofSeconds(3), () -> {
			DefaultLockRegistry registry = registry(LEASE);
			Registries.warmUp(registry);
			LockHandle reading = registry(LEASE).acquire(READ);
			ChildJvm writer = start(LockType.WRITE, LEASE);
			Claimant.awaitFirstInLine(this.redis);
			assertThat(registry.get(READ).tryLock()).as("while the writer lives").isFalse();
			fault.accept(writer);
			long start = System.nanoTime();
			LockHandle next = registry.acquire(READ);
			Duration took = since(start);
			assertThat(reading.isValid()).isTrue();
			next.close();
			reading.close();
			return took;
		});
	}

	private ChildJvm start(LockType type, Duration lease) {
		return this.registries.keep(Claimant.start(this.redis, type, lease));
	}

	@Test
	void fullRedisKeepsReadersAndLetsAWriterReadOn() throws Exception {
		DefaultLockRegistry registry = observedRegistry(Duration.ofSeconds(3));
		NamedLock reading = registry.get(LockRequest.of("reading").type(LockType.READ));
		NamedLock writing = registry.get(WRITE);
		NamedLock readingOn = registry.get(READ);
		reading.lock();
		// So that a renewal need not prolong the key, which a full Redis accepts.
		DefaultLockRegistry other = registry(LEASE);
		LockHandle longer = other.acquire(LockRequest.of("reading").type(LockType.READ));
		writing.lock();
		readingOn.lock();
		this.redis.cli("CONFIG", "SET", "maxmemory", "1");
		writing.unlock();
		await().until(() -> Long.valueOf(1).equals(this.redis.cli("HEXISTS", key("a"), "shared")));
		int before = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > before + 3);
		assertThat(List.of(reading.isHeldByCurrentOwner(), readingOn.isHeldByCurrentOwner())).containsOnly(true);
		for (LockRequest request : List.of(READ, WRITE, READ.type(LockType.FAIR), LockRequest.of("free"))) {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> other.acquire(request))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.OUT_OF_MEMORY));
		}
		readingOn.unlock();
		reading.unlock();
		longer.close();
		assertThat(isLocked("a") || isLocked("reading")).isFalse();
		assertThat(this.events.losses).isEmpty();
		assertThat(this.events.failedRenewals).hasValue(0);
		assertThat(this.events.unconfirmedReleases).hasValue(0);
		this.redis.cli("CONFIG", "SET", "maxmemory", "0");
		other.acquire(WRITE).close();
	}

}
