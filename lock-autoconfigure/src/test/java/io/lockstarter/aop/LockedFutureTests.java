package io.lockstarter.aop;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for a {@link LockedFuture} that is cancelled at a bad moment, or cannot release.
 */
class LockedFutureTests {

	private final CompletableFuture<LockHandle> acquisition = new Granting();

	private final LockHandle lock = mock();

	private final LockCall call = mock();

	private final LockedFuture result = start();

	private LockedFuture start() {
		given(this.call.acquireAsync(any())).willReturn(this.acquisition);
		given(this.call.held(any(), any()))
			.willAnswer((held) -> new HeldLock(held.getArgument(0), held.getArgument(1), Duration.ZERO));
		given(this.lock.releaseAsync()).willReturn(CompletableFuture.completedFuture(null));
		return new LockedFuture(this.call, LockContext.capture()).start();
	}

	@Test
	void doesNotRunMethodWhenCancelledWhileLockIsGranted() throws Throwable {
		this.result.cancel(false);
		this.acquisition.complete(this.lock);
		verify(this.lock).releaseAsync();
		verify(this.call, never()).proceedLater();
	}

	@Test
	void holdsLockForWorkThatBeginsWhileItIsCancelled() throws Throwable {
		CompletableFuture<Object> work = new CompletableFuture<>();
		given(this.call.proceedLater()).willAnswer((begun) -> {
			this.result.cancel(false);
			return work;
		});
		this.acquisition.complete(this.lock);
		assertThat(work).isNotDone();
		verify(this.lock, never()).releaseAsync();
		work.complete("done");
		verify(this.lock).releaseAsync();
	}

	/** The method may have closed the handle by itself. */
	@Test
	void failsWhenLockCannotBeReleased() throws Throwable {
		LockNotHeldException refusal = new LockNotHeldException("job", LockOwner.create("task"));
		given(this.call.proceedLater()).willReturn(CompletableFuture.completedFuture("done"));
		given(this.lock.releaseAsync()).willThrow(refusal);
		this.acquisition.complete(this.lock);
		assertThat(this.result).isDone();
		assertThat(this.result.handle((value, failure) -> failure)).isCompletedWithValue(refusal);
	}

	/**
	 * A request that is just being granted, and cannot be withdrawn any more.
	 */
	private static final class Granting extends CompletableFuture<LockHandle> {

		@Override
		public boolean cancel(boolean interrupt) {
			return false;
		}

	}

}
