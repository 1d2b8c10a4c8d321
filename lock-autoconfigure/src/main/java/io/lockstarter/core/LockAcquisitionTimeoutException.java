package io.lockstarter.core;

import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not free within the wait time.
 */
public class LockAcquisitionTimeoutException extends LockException {

	private static final long serialVersionUID = 1L;

	private static final int MOST_NAMES = 3;

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

	/**
	 * Report the same of a caller whose transaction keeps other locks.
	 * @param known what is known without the transaction
	 * @param kept the names of the locks that it keeps, at least one
	 */
	public LockAcquisitionTimeoutException(LockAcquisitionTimeoutException known, Collection<String> kept) {
		super(known.lockName(), known.getMessage() + ". " + deadlock(known.lockName(), kept), null);
		this.waited = known.waited;
		this.holder = known.holder;
		setStackTrace(known.getStackTrace());
	}

	private static String deadlock(String name, Collection<String> kept) {
		String some = kept.stream().sorted().limit(MOST_NAMES).collect(Collectors.joining("', '", "'", "'"));
		String more = (kept.size() > MOST_NAMES) ? String.format(Locale.ROOT, " and %d more", kept.size() - MOST_NAMES)
				: "";
		String one = (kept.size() == 1) ? "that lock" : "one of these";
		return "The transaction of the caller keeps %s %s%s until it ends: if the holder of lock '%s' waits for %s, the two wait for each other until one gives up. Let all transactions take these locks in the same order, or take them together by one list of keys"
			.formatted((kept.size() == 1) ? "lock" : "the locks", some, more, name, one);
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
