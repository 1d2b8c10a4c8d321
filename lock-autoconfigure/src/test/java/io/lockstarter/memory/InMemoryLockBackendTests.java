package io.lockstarter.memory;

import java.time.Duration;
import java.util.OptionalLong;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * The in-memory backend keeps the contract.
 */
class InMemoryLockBackendTests extends LockBackendContract {

	private final InMemoryLockStore store = new InMemoryLockStore();

	@Override
	protected LockBackend newBackend() {
		return new InMemoryLockBackend(this.store);
	}

	@Override
	protected boolean commandsMayArriveAgain() {
		return false;
	}

	/** It was its turn, though it has not had the time to ask. */
	@Test
	void keepsThePlaceOfAFairClientThatWasWoken() {
		LockBackend holder = listening();
		LockBackend woken = listening();
		LockBackend newcomer = listening();
		holder.acquire(fair(holder, null)).join();
		woken.acquire(fair(woken, new Waiting(OptionalLong.empty(), Duration.ZERO, false))).join();
		holder.release(new Release("name", fair(holder, null).tenure(), Release.Intent.LEAVE, null)).join();
		assertThat(newcomer.acquire(fair(newcomer, null)).join()).isInstanceOf(Refused.class);
		assertThat(woken.acquire(fair(woken, null)).join()).isInstanceOf(Granted.class);
		woken.release(new Release("name", fair(woken, null).tenure(), Release.Intent.LEAVE, null)).join();
		assertThat(this.store.size()).isZero();
	}

	/** Nobody has the lock, and nobody else would tell this client. */
	@Test
	void wakesTheOneWhoseTurnItIsWhenAnotherIsRefusedAFreeLock() {
		LockBackend.WakeListener first = mock();
		LockBackend holder = listening();
		LockBackend waiting = newBackend();
		waiting.listen(first);
		holder.acquire(fair(holder, null)).join();
		waiting.acquire(fair(waiting, new Waiting(OptionalLong.empty(), Duration.ZERO, false))).join();
		holder.release(new Release("name", fair(holder, null).tenure(), Release.Intent.RETURN, null)).join();
		then(first).should(never()).wake("name");
		LockBackend newcomer = listening();
		assertThat(newcomer.acquire(fair(newcomer, null)).join()).isInstanceOf(Refused.class);
		then(first).should().wake("name");
	}

	/** It would not be woken: it is its own release that has let the others in. */
	@Test
	void letsAReaderThatYieldsToReadersAskAtOnce() {
		LockBackend writer = listening();
		LockBackend reader = listening();
		Waiting waiting = new Waiting(OptionalLong.empty(), Duration.ZERO, false);
		writer.acquire(request(writer, LockType.WRITE, null)).join();
		reader.acquire(request(reader, LockType.READ, waiting)).join();
		Acquire next = new Acquire("name", new TenureId(writer.clientId(), 2), LockType.READ, "holder",
				Duration.ofSeconds(30), waiting);
		Release yielding = new Release("name", new TenureId(writer.clientId(), 1), Release.Intent.YIELD, next);
		assertThat(writer.release(yielding).join().position()).isEmpty();
		assertThat(writer.acquire(next).join()).isInstanceOf(Granted.class);
		assertThat(reader.acquire(request(reader, LockType.READ, null)).join()).isInstanceOf(Granted.class);
	}

	private LockBackend listening() {
		LockBackend backend = newBackend();
		backend.listen(mock(LockBackend.WakeListener.class));
		return backend;
	}

	private static Acquire fair(LockBackend client, @Nullable Waiting waiting) {
		return request(client, LockType.FAIR, waiting);
	}

	private static Acquire request(LockBackend client, LockType type, @Nullable Waiting waiting) {
		return new Acquire("name", new TenureId(client.clientId(), 1), type, "holder", Duration.ofSeconds(30), waiting);
	}

}
