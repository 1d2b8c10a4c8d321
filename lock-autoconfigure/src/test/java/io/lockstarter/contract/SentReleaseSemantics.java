package io.lockstarter.contract;

import java.util.concurrent.atomic.AtomicReference;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Releases that are sent, and whose replies nobody waits for.
 */
interface SentReleaseSemantics extends TwoRegistries {

	@Test
	default void sentReleaseFreesTheLock() throws InterruptedException {
		DefaultLockRegistry sending = sending(new Events());
		LockHandle handle = sending.acquire(request());
		handle.close();
		assertThat(handle.isValid()).isFalse();
		try (LockHandle next = two().acquire(request())) {
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		}
		assertNothingLeft();
	}

	@Test
	default void requestsFollowSentReleases() throws InterruptedException {
		Events told = new Events();
		DefaultLockRegistry sending = sending(told);
		long last = 0;
		for (int round = 0; round < 50; round++) {
			try (LockHandle handle = sending.acquire(request())) {
				assertThat(handle.fencingToken()).isGreaterThan(last);
				last = handle.fencingToken();
			}
		}
		await().until(() -> told.released.size() == 50);
		assertThat(told.losses).isEmpty();
		assertNothingLeft();
	}

	/**
	 * The release does not wait, but throws if the loss is known by then: from a message,
	 * or from the reply.
	 */
	@Test
	default void sentReleaseReportsTheLossThatItDiscovers() throws InterruptedException {
		Events told = new Events();
		LockHandle handle = sending(told).acquire(request());
		assertThat(two().forceRelease(name())).hasSize(1);
		AtomicReference<LockLoss> known = new AtomicReference<>();
		try {
			handle.close();
		}
		catch (LockLostException ex) {
			known.set(ex.loss());
		}
		await().until(() -> told.losses.size() == 1);
		assertThat(known).satisfiesAnyOf((loss) -> assertThat(loss.get()).isNull(),
				(loss) -> assertThat(loss.get().reason()).isIn(LockLoss.Reason.FORCE_RELEASED,
						LockLoss.Reason.NOT_OWNED));
		assertThat(told.released).isEmpty();
		assertNothingLeft();
	}

	private DefaultLockRegistry sending(Events told) {
		return open(Settings.of("sending", WAIT, LEASE).sendReleases(), told);
	}

}
