package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link LockMachine}.
 *
 * @param instance the name under which other instances see the holders of this JVM
 * @param handoverLimit the number of hand-overs that other instances wait for, or 0 to
 * disable hand-over
 * @param handoverAge the time after the backend's last confirmation within which a tenure
 * may be handed over, or joined by readers
 * @param directGrantLease the minimum lease of a grant by message, or {@code null} if no
 * lock may be granted by message
 * @param keepsOrder whether the backend carries commands out in the order in which they
 * are sent
 * @param sendsReleases whether a released lock may be requested again before the backend
 * has confirmed its release
 */
public record MachineSettings(String instance, int handoverLimit, Duration handoverAge,
		@Nullable Duration directGrantLease, boolean keepsOrder, boolean sendsReleases) {

	/** Minimum lease of a grant by message: 5 s. */
	public static final Duration DIRECT_GRANT_LEASE = Duration.ofSeconds(5);

	/**
	 * Returns a supplier that returns the same object while the settings do not change,
	 * because each lock keeps a reference to it.
	 */
	public static Supplier<MachineSettings> shared(Supplier<MachineSettings> present) {
		AtomicReference<MachineSettings> latest = new AtomicReference<>();
		return () -> latest.accumulateAndGet(present.get(), (known, now) -> now.equals(known) ? known : now);
	}

	/**
	 * Returns whether a lock may be granted to a request by a message. Up to a second of
	 * the lease has elapsed at that moment. A renewal compensates for that, unless the
	 * lease is fixed or too short.
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

	/** Returns the name of an owner for other instances. */
	String label(LockOwner owner) {
		return this.instance + "/" + owner;
	}

}
