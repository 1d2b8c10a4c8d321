package io.lockstarter.engine.lease;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;

/**
 * What the watchdog sees of a tenure.
 */
public interface Renewable {

	/** The lease that it renews, or whose end it watches. */
	HeldLease lease();

	/** The command that renews it for its full time. */
	LockBackend.Renew renewal();

	/**
	 * A renewal is due: end the holds that are to last no longer than their lease. If
	 * none is to go on, renewal stops.
	 */
	void reviewHolds();

	/** The lease is over, or the backend does not know the tenure. */
	void lost(LockLoss.Reason reason);

	/** The lease was renewed. */
	void renewed();

	/** A renewal has failed, and is tried again soon. */
	void renewalFailed(Throwable failure);

}
