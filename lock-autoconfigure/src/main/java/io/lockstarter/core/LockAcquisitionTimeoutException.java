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

	private final transient @Nullable Holder holder;

	/**
	 * Report a wait that ended without the lock.
	 * @param lockName the lock's name
	 * @param waited the time spent waiting
	 * @param holder the holder last seen, if any
	 */
	public LockAcquisitionTimeoutException(String lockName, Duration waited, @Nullable Holder holder) {
		this(lockName, waited, holder, 1);
	}

	/**
	 * Report a wait for one of several permits that ended without any.
	 * @param lockName the lock's name
	 * @param waited the time spent waiting
	 * @param holder the holder last seen whose lease ends first, if any
	 * @param permits how many may hold the lock at a time
	 */
	public LockAcquisitionTimeoutException(String lockName, Duration waited, @Nullable Holder holder, int permits) {
		super(lockName, message(lockName, waited, holder, permits), null);
		this.waited = waited;
		this.holder = holder;
	}

	private static String message(String lockName, Duration waited, @Nullable Holder holder, int permits) {
		String who = (holder != null) ? " (%s)".formatted((permits > 1) ? holder.toString(permits) : holder) : "";
		return "Lock '%s' was not acquired within %s%s; raise the wait time or shorten the holder's work"
			.formatted(lockName, Durations.text(waited), who);
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
