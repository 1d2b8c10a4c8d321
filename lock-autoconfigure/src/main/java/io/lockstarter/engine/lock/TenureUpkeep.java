package io.lockstarter.engine.lock;

import java.util.Objects;
import java.util.function.BiConsumer;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.event.Listeners;
import io.lockstarter.engine.lease.HeldLease;
import io.lockstarter.engine.lease.LeaseWatch;
import io.lockstarter.engine.lease.Renewable;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one tenure up: its lease is renewed, its hold count written, its holders are told
 * of renewals.
 */
final class TenureUpkeep implements Tenure.Upkeep, Renewable {

	private final Tenure tenure;

	private final LockEvents lock;

	private final LockServices services;

	private final LeaseWatch watch;

	private @Nullable HoldCountWriter counts;

	TenureUpkeep(Tenure tenure, LockEvents lock, LockServices services) {
		this.tenure = tenure;
		this.lock = lock;
		this.services = services;
		this.watch = services.watchdog().watch(this);
	}

	@Override
	public void start() {
		this.watch.start();
	}

	@Override
	public void stop() {
		this.watch.schedule();
		HoldCountWriter writer = counts(false);
		if (writer != null) {
			writer.end();
		}
	}

	@Override
	public void leaseChanged() {
		this.watch.schedule();
	}

	@Override
	public void renewNow() {
		this.watch.renewNow();
	}

	@Override
	public void countChanged() {
		Objects.requireNonNull(counts(true)).countChanged();
	}

	/** Most holds are entered once only: their count is never written. */
	private synchronized @Nullable HoldCountWriter counts(boolean needed) {
		if (this.counts == null && needed) {
			this.counts = new HoldCountWriter(this.tenure, this.services.commands(), this.services.timer(),
					() -> lost(LockLoss.Reason.NOT_OWNED));
		}
		return this.counts;
	}

	@Override
	public HeldLease lease() {
		return this.tenure.lease();
	}

	@Override
	public LockBackend.Renew renewal() {
		return this.tenure.renewal(lease().time());
	}

	@Override
	public void reviewHolds() {
		new HolderReview(this.tenure, this.lock, this.services.maxHoldTime()).run();
	}

	@Override
	public void lost(LockLoss.Reason reason) {
		this.lock.lose(this.tenure, reason);
	}

	@Override
	public void renewed() {
		tell(LockListener::renewed);
	}

	@Override
	public void renewalFailed(Throwable failure) {
		tell((listener, handle) -> listener.renewalFailed(handle, failure));
	}

	private void tell(BiConsumer<LockListener, LockHandle> event) {
		Listeners listeners = this.services.listeners();
		if (!listeners.isEmpty()) {
			this.tenure.holds().all().forEach((hold) -> {
				LockHandle handle = this.services.handles().apply(hold);
				listeners.tellOfRenewal((listener) -> event.accept(listener, handle));
			});
		}
	}

}
