package io.lockstarter.aop;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for the end of a {@link LockedSubscription}.
 */
class LockedSubscriptionTests {

	private final CompletableFuture<LockHandle> acquisition = new CompletableFuture<>();

	private final LockHandle lock = mock();

	private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();

	private final LockedSubscription subscription = subscription();

	private LockedSubscription subscription() {
		LockCall call = mock();
		given(call.acquireAsync(any())).willReturn(this.acquisition);
		given(this.lock.releaseAsync()).willReturn(this.released);
		return new LockedSubscription(call, LockContext.capture(), null);
	}

	@Test
	void releasesThoughWhatWaitsForTheReleaseIsCancelled() {
		CompletableFuture<@Nullable Void> stopping = new CompletableFuture<>();
		work(stopping);
		this.subscription.release().subscribe().dispose();
		verify(this.lock, never()).releaseAsync();
		stopping.complete(null);
		verify(this.lock).releaseAsync();
	}

	@Test
	void releasesThoughTheWorkFailsToStop() {
		work(CompletableFuture.failedFuture(new IllegalStateException("planted")));
		this.subscription.release().subscribe();
		verify(this.lock).releaseAsync();
	}

	@Test
	void releasesWhenTheWorkHasBegunAndNotBefore() {
		this.acquisition.complete(this.lock);
		assertThat(this.subscription.begin()).isTrue();
		this.subscription.release().subscribe();
		verify(this.lock, never()).releaseAsync();
		this.subscription.begun();
		verify(this.lock).releaseAsync();
	}

	@Test
	void doesNotBeginAfterItsEnd() {
		this.acquisition.complete(this.lock);
		this.subscription.release().subscribe();
		assertThat(this.subscription.begin()).isFalse();
		verify(this.lock).releaseAsync();
	}

	@Test
	void tellsOnlyTheFirstOfAFailedRelease() {
		work(CompletableFuture.completedFuture(null));
		LockLostException lost = mock();
		this.released.completeExceptionally(lost);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.subscription.release().block())
			.isSameAs(lost);
		this.subscription.release().block();
		verify(this.lock).releaseAsync();
	}

	@Test
	void withdrawsARequestThatIsUnderWay() {
		this.subscription.release().block();
		assertThat(this.acquisition).isCancelled();
	}

	private void work(CompletableFuture<@Nullable Void> stopping) {
		this.acquisition.complete(this.lock);
		assertThat(this.subscription.begin()).isTrue();
		this.subscription.endsAfter(() -> stopping);
		this.subscription.begun();
	}

}
