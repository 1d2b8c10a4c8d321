package io.lockstarter.reactor;

import java.util.concurrent.CompletableFuture;

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

	private final LockedWork<String> work = mock();

	private final LockedSubscription<String> subscription = subscription();

	private LockedSubscription<String> subscription() {
		given(this.work.acquire()).willReturn(this.acquisition);
		given(this.work.release(this.lock)).willAnswer((release) -> this.lock.releaseAsync());
		given(this.lock.releaseAsync()).willReturn(this.released);
		return new LockedSubscription<>(this.work, new SubscriptionEnd());
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

	@Test
	void leavesTheReleaseOfWhatWasGrantedToTheWork() {
		this.acquisition.complete(this.lock);
		this.subscription.hold(this.lock);
		this.subscription.release().subscribe();
		verify(this.work).release(this.lock);
	}

	@Test
	void doesNotReleaseWhatTheWorkKeeps() {
		this.acquisition.complete(this.lock);
		this.subscription.hold(this.lock);
		given(this.work.staysHeld(any())).willReturn(true);
		this.subscription.release().block();
		verify(this.lock, never()).releaseAsync();
	}

	private void work(CompletableFuture<@Nullable Void> stopping) {
		this.acquisition.complete(this.lock);
		assertThat(this.subscription.begin()).isTrue();
		given(this.work.ended()).willAnswer((ended) -> stopping);
		this.subscription.begun();
	}

}
