package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import org.jspecify.annotations.Nullable;

/**
 * What the machine of a name is told once.
 *
 * @param instance how this JVM is called in what others see of its locks
 * @param handoverLimit how many hand-overs others wait for, or 0 to hand over never
 * @param handoverAge how long after its last confirmation by the backend a tenure may be
 * handed over, or joined by readers
 * @param directGrantLease the shortest lease that may be granted by a message;
 * {@code null} if no lock may be granted so
 * @param keepsOrder whether the backend carries commands out in the order in which they
 * are sent
 * @param sendsReleases whether a released lock may be requested again before the backend
 * has confirmed its release
 */
public record MachineTerms(String instance, int handoverLimit, Duration handoverAge,
		@Nullable Duration directGrantLease, boolean keepsOrder, boolean sendsReleases) {

	/** The shortest lease that may be granted by a message. */
	public static final Duration DIRECT_GRANT_LEASE = Duration.ofSeconds(5);

	/** The same object as before, if nothing has changed: each lock keeps it. */
	public static Supplier<MachineTerms> shared(Supplier<MachineTerms> present) {
		AtomicReference<MachineTerms> latest = new AtomicReference<>();
		return () -> latest.accumulateAndGet(present.get(), (known, now) -> now.equals(known) ? known : now);
	}

	/**
	 * Returns whether a lock may be granted to a request by a message. Up to a second of
	 * such a lease is over at that moment: a renewal makes up for that, unless the lease
	 * is fixed, or too short.
	 */
	boolean acceptsDirectGrant(Waiter waiter) {
		return this.directGrantLease != null && waiter.isRenewed()
				&& waiter.lease().compareTo(this.directGrantLease) >= 0;
	}

	/**
	 * Returns whether the next acquire request is sent without waiting for the reply to
	 * such a release.
	 */
	boolean isFollowed(Intent intent) {
		return this.keepsOrder && (intent == Intent.RETURN || (intent == Intent.LEAVE && this.sendsReleases));
	}

	/** How an owner is shown to other instances. */
	String label(LockOwner owner) {
		return this.instance + "/" + owner;
	}

}
