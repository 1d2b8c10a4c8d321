package io.lockstarter.test;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lockstarter.test.LockAssertions.assertThatLocked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockedAssertTests {

	private static final LockRequest SHIP = LockRequest.of("ship:42");

	private static final LockRequest COUNT = LockRequest.of("count").type(LockType.READ);

	private static final LockRequest CRAWL = LockRequest.of("crawl").permits(3).leaseTime(Duration.ofMinutes(1));

	@AutoClose
	private final InMemoryLocks locks = InMemoryLocks.create();

	private final LockRegistry registry = this.locks.registry();

	private void take(LockRequest... requests) throws InterruptedException {
		for (LockRequest request : requests) {
			this.registry.acquire(request).close();
		}
	}

	@Test
	void seesWhatIsHeld() {
		assertThatLocked(() -> take(SHIP, COUNT, CRAWL)).holds("ship:42")
			.holds("crawl", "count")
			.holds("count", LockType.READ)
			.holdsPermit("crawl", 3)
			.holdsPermit("ship:42", 1)
			.holdsOnly("count", "crawl", "ship:42")
			.satisfies((held) -> assertThat(held).hasSize(3));
		assertThatLocked(() -> take(SHIP, SHIP)).holdsOnly("ship:42");
		assertThatLocked(() -> {
		}).holdsNothing().holdsOnly();
	}

	@Test
	void seesWhatIsHeldWithoutAThread() {
		assertThatLocked(() -> this.registry.acquireAsync(SHIP).join().close()).holdsOnly("ship:42");
	}

	@Test
	void tellsWhatWasHeldInstead() {
		assertThatFails(() -> assertThatLocked(() -> take(SHIP, CRAWL)).as("orders").holds("ship:43"), """
				[orders] Expected the action to hold lock 'ship:43', but it held:
				  'ship:42' (REENTRANT, renewed)
				  'crawl' (REENTRANT, one of 3 permits, leaseTime PT1M)""");
	}

	@Test
	void tellsThatItWasHeldOtherwise() {
		assertThatFails(() -> assertThatLocked(() -> take(COUNT)).holds("count", LockType.WRITE), """
				Expected the action to hold lock 'count' as WRITE, but it held:
				  'count' (READ, renewed)""");
		assertThatFails(() -> assertThatLocked(() -> take(CRAWL)).holdsPermit("crawl", 2), """
				Expected the action to hold one of 2 permits of lock 'crawl', but it held:
				  'crawl' (REENTRANT, one of 3 permits, leaseTime PT1M)""");
	}

	@Test
	void tellsThatMoreWasHeld() {
		assertThatFails(() -> assertThatLocked(() -> take(SHIP, COUNT)).holdsOnly("count"), """
				Expected the action to hold only 'count', but it held:
				  'ship:42' (REENTRANT, renewed)
				  'count' (READ, renewed)""");
		assertThatFails(() -> assertThatLocked(() -> take(SHIP)).holdsNothing(), """
				Expected the action to hold no lock, but it held:
				  'ship:42' (REENTRANT, renewed)""");
	}

	@Test
	void tellsThatNothingWasHeld() {
		assertThatFails(() -> assertThatLocked(() -> take()).holds("ship:42"),
				"""
						Expected the action to hold lock 'ship:42', but it held none. It requested none: a method is locked only \
						if it is called through its Spring bean.""");
	}

	@Test
	void tellsWhatWasRefused() {
		try (LockHandle held = this.locks.heldByAnother("ship:42")) {
			assertThatFails(() -> assertThatLocked(() -> {
				assertThat(this.registry.get("ship:42").tryLock()).isFalse();
				this.registry.acquireAsync(SHIP);
			}).holds("ship:42"), """
					Expected the action to hold lock 'ship:42', but it held none.
					It requested, but did not acquire:
					  'ship:42' (REENTRANT, renewed): timeout
					  'ship:42' (REENTRANT, renewed): still waiting""");
		}
	}

	@Test
	void countsOtherThreadsWhereTheyAreAskedFor() {
		ThrowingCallable action = () -> onThread("server", () -> take(SHIP));
		assertThatLocked(action).holdsNothing();
		assertThatLocked(action).onAnyThread().holdsOnly("ship:42");
		assertThatFails(() -> assertThatLocked(action).holds("ship:42"),
				"""
						Expected the action to hold lock 'ship:42', but it held none. It requested none: a method is locked only \
						if it is called through its Spring bean.
						Other threads held these locks, which onAnyThread() counts:
						  'ship:42' (REENTRANT, renewed) on thread 'server'""");
		assertThatFails(() -> assertThatLocked(action).as("orders").onAnyThread().holdsNothing(), """
				[orders] Expected the action to hold no lock, but it held:
				  'ship:42' (REENTRANT, renewed)""");
	}

	@Test
	void doesNotCountAReentry() throws InterruptedException {
		try (LockHandle held = this.registry.acquire(SHIP)) {
			assertThatLocked(() -> take(SHIP)).holdsNothing();
		}
	}

	@Test
	void doesNotCountWhatWasTakenBeforeOrLater() throws InterruptedException {
		take(COUNT);
		LockedAssert locked = assertThatLocked(() -> take(SHIP));
		take(CRAWL);
		locked.holdsOnly("ship:42").onAnyThread().holdsOnly("ship:42");
	}

	@Test
	void recordsActionsWithinOneAnother() {
		assertThatLocked(() -> {
			take(COUNT);
			assertThatLocked(() -> take(SHIP)).holdsOnly("ship:42");
		}).holdsOnly("count", "ship:42");
	}

	@Test
	void throwsOnWhatTheActionThrows() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> assertThatLocked(() -> {
			throw new IllegalStateException("broken");
		})).withMessage("broken");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThatLocked(() -> {
			throw new IOException("broken");
		})).withCauseInstanceOf(IOException.class).withMessageContaining("broken");
		assertThatLocked(() -> take(SHIP)).holdsOnly("ship:42");
	}

	@Test
	void asksForALock() {
		assertThatIllegalArgumentException().isThrownBy(() -> assertThatLocked(() -> take(SHIP)).holds())
			.withMessageContaining("holdsNothing()");
	}

	private static void assertThatFails(ThrowingCallable assertion, String message) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion)
			.satisfies((error) -> assertThat(error.getMessage().strip().lines().map(String::stripTrailing))
				.containsExactlyElementsOf(message.lines().toList()));
	}

	private static void onThread(String name, ThrowingCallable action) throws InterruptedException {
		CompletableFuture<Void> done = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				action.call();
				done.complete(null);
			}
			catch (Throwable ex) {
				done.completeExceptionally(ex);
			}
		}, name);
		thread.start();
		thread.join();
		done.join();
	}

}
