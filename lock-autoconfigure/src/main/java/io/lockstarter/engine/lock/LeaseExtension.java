package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.HeldLease;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;

/**
 * A lease of its own measure that one hold asks for.
 */
final class LeaseExtension {

	private final Tenure tenure;

	private final Hold hold;

	private final Duration lease;

	private final LockEvents lock;

	private final Commands commands;

	LeaseExtension(Tenure tenure, Hold hold, Duration lease, LockEvents lock, Commands commands) {
		this.tenure = tenure;
		this.hold = hold;
		this.lease = lease;
		this.lock = lock;
		this.commands = commands;
	}

	/**
	 * Ask for the lease.
	 * @param upkeep is told that the lease has changed
	 */
	CompletableFuture<?> ask(Tenure.Upkeep upkeep) {
		Moment start = this.hold.now();
		this.tenure.lease().extending(this.lease);
		return this.commands.renew(this.tenure.renewal(this.lease), this.tenure.lease().time())
			.thenAccept((verdict) -> answered(start, verdict, upkeep));
	}

	private void answered(Moment start, RenewalReply verdict, Tenure.Upkeep upkeep) {
		if (!verdict.held()) {
			this.lock.lose(this.tenure, LockLoss.Reason.NOT_OWNED);
			throw this.hold.gone();
		}
		HeldLease held = this.tenure.lease();
		held.extend(Lease.of(start, this.lease), this.hold.now());
		upkeep.leaseChanged();
		if (!this.hold.isHeld()) {
			if (held.hasEnded()) {
				// The tenure must not live on by the reply, unless others have it now.
				this.commands.endForSure(this.tenure.name(), this.tenure.id(), this.lease);
			}
			throw this.hold.gone();
		}
	}

}
