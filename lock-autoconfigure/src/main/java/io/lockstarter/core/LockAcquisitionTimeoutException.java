package io.lockstarter.core;

import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock was not free within the wait time.
 */
public class LockAcquisitionTimeoutException extends LockException {

	private static final long serialVersionUID = 1L;

	/** Maximum number of lock names in a message. */
	private static final int MAX_NAMES = 3;

	private final Duration waited;

	private final @Nullable Holder holder;

	/**
	 * Creates an exception for a wait that ended without the lock.
	 * @param lockName the lock's name
	 * @param waited the time spent waiting
	 * @param holder the last known holder, if any
	 */
	public LockAcquisitionTimeoutException(String lockName, Duration waited, @Nullable Holder holder) {
		this(LockRequest.of(lockName), waited, holder);
	}

	/**
	 * Creates an exception for a request that ended without the lock.
	 * @param request the request
	 * @param waited the time spent waiting
	 * @param holder the last known holder, if any; of several the one whose lease ends
	 * first
	 */
	public LockAcquisitionTimeoutException(LockRequest request, Duration waited, @Nullable Holder holder) {
		super(request.name(), message(request, waited, holder), null);
		this.waited = waited;
		this.holder = holder;
	}

	/**
	 * Creates an exception for a caller whose transaction holds other locks.
	 * @param known the exception without regard to the transaction
	 * @param held the names of the locks that the transaction holds, at least one
	 */
	public LockAcquisitionTimeoutException(LockAcquisitionTimeoutException known, Collection<String> held) {
		super(known.lockName(), known.getMessage() + ". " + deadlock(known.lockName(), held), null);
		this.waited = known.waited;
		this.holder = known.holder;
		setStackTrace(known.getStackTrace());
	}

	private static String deadlock(String name, Collection<String> held) {
		String some = held.stream().sorted().limit(MAX_NAMES).collect(Collectors.joining("', '", "'", "'"));
		String more = (held.size() > MAX_NAMES) ? String.format(Locale.ROOT, " and %d more", held.size() - MAX_NAMES)
				: "";
		String one = (held.size() == 1) ? "that lock" : "one of these";
		return "The caller's transaction holds %s %s%s until it ends. If the holder of lock '%s' waits for %s, this is a deadlock until one of them gives up. Acquire these locks in the same order in all transactions, or together through one list of keys"
			.formatted((held.size() == 1) ? "lock" : "the locks", some, more, name, one);
	}

	private static String message(LockRequest request, Duration waited, @Nullable Holder holder) {
		int permits = request.permits();
		String who = (holder != null) ? " (%s)".formatted((permits > 1) ? holder.toString(permits) : holder) : "";
		return "%s was not acquired within %s%s; raise the wait time or shorten the holder's work"
			.formatted(request.text(), Durations.text(waited), who);
	}

	/**
	 * Returns the time that the caller waited.
	 * @return the time waited
	 */
	public Duration waited() {
		return this.waited;
	}

	/**
	 * Returns the last known holder of the lock.
	 * @return the holder, if known
	 */
	public Optional<Holder> holder() {
		return Optional.ofNullable(this.holder);
	}

}
