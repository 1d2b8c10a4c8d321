package io.lockstarter.core;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not free within the wait time.
 */
public class LockAcquisitionTimeoutException extends LockException {

	private static final long serialVersionUID = 1L;

	private final Duration waited;

	private final @Nullable Holder holder;

	/**
	 * Report a wait that ended without the lock.
	 * @param lockName the lock's name
	 * @param waited the time spent waiting
	 * @param holder the holder last seen, if any
	 */
	public LockAcquisitionTimeoutException(String lockName, Duration waited, @Nullable Holder holder) {
		this(LockRequest.of(lockName), waited, holder);
	}

	/**
	 * Report a request that ended without the lock.
	 * @param request what was asked for
	 * @param waited the time spent waiting
	 * @param holder the holder last seen, if any; of several the one whose lease ends
	 * first
	 */
	public LockAcquisitionTimeoutException(LockRequest request, Duration waited, @Nullable Holder holder) {
		super(request.name(), message(request, waited, holder), null);
		this.waited = waited;
		this.holder = holder;
	}

	private static String message(LockRequest request, Duration waited, @Nullable Holder holder) {
		int permits = request.permits();
		String who = (holder != null) ? " (%s)".formatted((permits > 1) ? holder.toString(permits) : holder) : "";
		return "%s was not acquired within %s%s; raise the wait time or shorten the holder's work"
			.formatted(request.text(), Durations.text(waited), who);
	}

	/**
	 * Return how long the caller waited.
	 * @return the time waited
	 */
	public Duration waited() {
		return this.waited;
	}

	/**
	 * Return who held the lock when it was last asked for.
	 * @return the holder, if known
	 */
	public Optional<Holder> holder() {
		return Optional.ofNullable(this.holder);
	}

}
