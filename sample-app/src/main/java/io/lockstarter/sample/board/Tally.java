package io.lockstarter.sample.board;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Counts what happens to the locks of this instance. Thread-safe.
 */
@Component
class Tally implements LockListener {

	private final Histogram waits = new Histogram();

	private final Histogram holds = new Histogram();

	private final AtomicLong renewals = new AtomicLong();

	private final AtomicLong failedRenewals = new AtomicLong();

	private final AtomicLong losses = new AtomicLong();

	private final AtomicLong inVain = new AtomicLong();

	@Override
	public void acquired(LockHandle lock, Duration waited) {
		this.waits.add(waited);
	}

	@Override
	public void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
		this.inVain.incrementAndGet();
	}

	@Override
	public void released(LockHandle lock, Duration held) {
		this.holds.add(held);
	}

	@Override
	public void renewed(LockHandle lock) {
		this.renewals.incrementAndGet();
	}

	@Override
	public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
		this.failedRenewals.incrementAndGet();
	}

	@Override
	public void lost(LockLoss loss) {
		this.losses.incrementAndGet();
		this.holds.add(loss.heldFor());
	}

	Figures figures() {
		return new Figures(Histogram.BOUNDS_MILLIS, this.waits.counts(), this.holds.counts(), this.renewals.get(),
				this.failedRenewals.get(), this.losses.get(), this.inVain.get());
	}

	/**
	 * What was counted.
	 *
	 * @param boundsMillis the upper ends of the histograms' classes but for the last,
	 * which is open
	 * @param waits how long those who got a lock had waited for it
	 * @param holds how long locks were held
	 * @param renewals how many renewals succeeded
	 * @param failedRenewals how many renewals failed
	 * @param losses how many locks were lost
	 * @param inVain how many requests ended without their lock
	 */
	record Figures(List<Long> boundsMillis, List<Long> waits, List<Long> holds, long renewals, long failedRenewals,
			long losses, long inVain) {
	}

}
