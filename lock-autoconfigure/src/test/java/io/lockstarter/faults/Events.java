package io.lockstarter.faults;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * What a registry told its listeners.
 */
final class Events implements LockListener {

	final AtomicInteger renewals = new AtomicInteger();

	final AtomicInteger failedRenewals = new AtomicInteger();

	final AtomicInteger releases = new AtomicInteger();

	final AtomicInteger unconfirmedReleases = new AtomicInteger();

	final Queue<Outcome> failures = new ConcurrentLinkedQueue<>();

	final Queue<Lost> losses = new ConcurrentLinkedQueue<>();

	@Override
	public void renewed(LockHandle lock) {
		this.renewals.incrementAndGet();
	}

	@Override
	public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
		this.failedRenewals.incrementAndGet();
	}

	@Override
	public void released(LockHandle lock, Duration held) {
		this.releases.incrementAndGet();
	}

	@Override
	public void releaseUnconfirmed(LockHandle lock, Throwable cause) {
		this.unconfirmedReleases.incrementAndGet();
	}

	@Override
	public void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
		this.failures.add(outcome);
	}

	@Override
	public void lost(LockLoss loss) {
		this.losses.add(new Lost(loss, System.nanoTime()));
	}

	/** The loss, once its listeners are told, which they are on a thread of their own. */
	Lost loss() {
		await().pollInSameThread().until(() -> !this.losses.isEmpty());
		return this.losses.element();
	}

	/**
	 * A loss with the time of {@link System#nanoTime()} at which the listener heard of
	 * it.
	 */
	record Lost(LockLoss loss, long at) {

		String name() {
			return this.loss.name();
		}

		LockLoss.Reason reason() {
			return this.loss.reason();
		}

	}

}
