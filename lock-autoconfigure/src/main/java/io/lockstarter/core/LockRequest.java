package io.lockstarter.core;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A request for a lock: its name, with the options under which to acquire it. Options
 * that are absent come from the configuration. Immutable and thread-safe: each method
 * that sets an option returns a changed copy.
 */
public final class LockRequest {

	/**
	 * The metric name of locks that were not given one.
	 */
	public static final String DEFAULT_METRIC_NAME = "programmatic";

	/**
	 * The name of the registry that is injected where none is named, if there are
	 * several.
	 */
	public static final String DEFAULT_REGISTRY = "default";

	/**
	 * A wait time that never ends.
	 */
	public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

	private final String name;

	private final String metricName;

	private final LockType type;

	private final @Nullable LockOwner owner;

	private final @Nullable Duration waitTime;

	private final @Nullable Duration leaseTime;

	private final int permits;

	private final @Nullable String registry;

	private final boolean fenced;

	private LockRequest(String name, String metricName, LockType type, @Nullable LockOwner owner,
			@Nullable Duration waitTime, @Nullable Duration leaseTime, int permits, @Nullable String registry,
			boolean fenced) {
		if (name.isEmpty()) {
			throw new IllegalArgumentException("A lock's name must not be empty");
		}
		Objects.requireNonNull(metricName, "metricName");
		Objects.requireNonNull(type, "type");
		if (waitTime != null && waitTime.isNegative()) {
			throw new IllegalArgumentException(
					"The wait time of lock '%s' must not be negative but is %s".formatted(name, waitTime));
		}
		if (leaseTime != null && (leaseTime.isNegative() || leaseTime.isZero())) {
			throw new IllegalArgumentException(
					"The lease time of lock '%s' must be positive but is %s".formatted(name, leaseTime));
		}
		if (permits < 1) {
			throw new IllegalArgumentException(
					String.format(Locale.ROOT, "The permits of lock '%s' must be 1 or more but are %d", name, permits));
		}
		if (permits > 1 && (type == LockType.READ || type == LockType.WRITE)) {
			throw new IllegalArgumentException(String.format(Locale.ROOT,
					"Lock '%s' has %d permits, which type %s cannot have: readers are not limited, and writers are alone",
					name, permits, type));
		}
		if (fenced && (permits > 1 || type == LockType.READ)) {
			throw new IllegalArgumentException(
					"Lock '%s' cannot be fenced with type %s and permits %s: fencing tokens of owners that hold a lock together are in no order"
						.formatted(name, type, permits));
		}
		this.name = name;
		this.metricName = metricName;
		this.type = type;
		this.owner = owner;
		this.waitTime = waitTime;
		this.leaseTime = leaseTime;
		this.permits = permits;
		this.registry = registry;
		this.fenced = fenced;
	}

	/** The lock in messages. */
	String text() {
		return text(this.name, this.registry);
	}

	/** A lock in messages: with its registry, where there are several. */
	static String text(String name, @Nullable String registry) {
		return "Lock '" + name + ((registry != null) ? "' of registry '" + registry + "'" : "'");
	}

	/**
	 * Ask for a lock under the configured terms.
	 * @param name the lock's name
	 * @return the request
	 * @throws IllegalArgumentException if the name is empty
	 */
	public static LockRequest of(String name) {
		return new LockRequest(name, DEFAULT_METRIC_NAME, LockType.REENTRANT, null, null, null, 1, null, false);
	}

	/**
	 * Count the lock under a name in the meters, which many locks may share.
	 * @param metricName a low-cardinality name, never one made from user data
	 * @return a copy with that name
	 */
	public LockRequest metricName(String metricName) {
		return new LockRequest(this.name, metricName, this.type, this.owner, this.waitTime, this.leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Choose how the lock excludes others.
	 * @param type the type
	 * @return a copy with that type
	 */
	public LockRequest type(LockType type) {
		return new LockRequest(this.name, this.metricName, type, this.owner, this.waitTime, this.leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Hold the lock for an explicit owner, who may then release it on any thread.
	 * @param owner the owner
	 * @return a copy with that owner
	 */
	public LockRequest owner(LockOwner owner) {
		return new LockRequest(this.name, this.metricName, this.type, owner, this.waitTime, this.leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Wait at most this long; zero tries once, {@link #FOREVER} waits without an end. By
	 * default {@code distributed-lock.wait-time}, which is 10 s unless set.
	 * @param waitTime the longest wait
	 * @return a copy with that wait time
	 * @throws IllegalArgumentException if it is negative
	 */
	public LockRequest waitTime(Duration waitTime) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, waitTime, this.leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Take the lock with a fixed lease that the watchdog does not renew. A re-entry goes
	 * by the lease of the outermost acquisition; see {@link LockHandle#extend}.
	 * @param leaseTime the lease, from 100 ms to 365 days
	 * @return a copy with that lease
	 * @throws IllegalArgumentException if it is zero or negative; the registry refuses
	 * what else is out of range
	 */
	public LockRequest leaseTime(Duration leaseTime) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, this.waitTime, leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Let up to so many owners hold the lock at a time, over all instances. Each has a
	 * hold of its own, with its own lease and fencing token. Who asks without permits
	 * still excludes all others. Requests that name different numbers are each granted
	 * when fewer than their own number hold the lock.
	 * @param permits how many; 1 is the lock itself
	 * @return a copy with that number
	 * @throws IllegalArgumentException if it is less than 1, or more than 1 for a reader
	 * or writer
	 */
	public LockRequest permits(int permits) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, this.waitTime, this.leaseTime,
				permits, this.registry, this.fenced);
	}

	/**
	 * Ask another registry than the one that gets the request, which hands it on.
	 * @param registry the registry's name in the configuration, or
	 * {@link #DEFAULT_REGISTRY}
	 * @return a copy for that registry
	 */
	public LockRequest registry(String registry) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, this.waitTime, this.leaseTime,
				this.permits, registry, this.fenced);
	}

	/**
	 * Let the database refuse the transactions of a holder that has lost the lock, as
	 * {@code fenced} of {@code @DistributedLock} does. For {@link LockRegistry#execute}
	 * only: with a {@link LockHandle}, register and verify its token by
	 * {@code io.lockstarter.fence.Fence}.
	 * @return a copy that is fenced
	 * @throws IllegalArgumentException for a reader, or for more than one permit
	 */
	public LockRequest fenced() {
		return fenced(true);
	}

	/**
	 * Choose whether the database refuses the transactions of a holder that has lost the
	 * lock.
	 * @param fenced whether it does
	 * @return a copy with that choice
	 * @throws IllegalArgumentException if it does, for a reader or for more than one
	 * permit
	 */
	public LockRequest fenced(boolean fenced) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, this.waitTime, this.leaseTime,
				this.permits, this.registry, fenced);
	}

	/**
	 * Returns the lock's name.
	 * @return a text that is not empty
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns the name under which meters count the lock.
	 * @return a name of low cardinality
	 */
	public String metricName() {
		return this.metricName;
	}

	/**
	 * Returns how the lock excludes others.
	 * @return the type
	 */
	public LockType type() {
		return this.type;
	}

	/**
	 * Returns the owner that will hold the lock.
	 * @return the owner, or {@code null} for the calling thread, or for an owner made for
	 * an asynchronous acquisition
	 */
	public @Nullable LockOwner owner() {
		return this.owner;
	}

	/**
	 * Returns how long to wait for the lock.
	 * @return the wait time, zero to try once, or {@code null} for the configured one
	 */
	public @Nullable Duration waitTime() {
		return this.waitTime;
	}

	/**
	 * Returns the fixed lease.
	 * @return the lease time, or {@code null} for a lease that is renewed while the lock
	 * is held
	 */
	public @Nullable Duration leaseTime() {
		return this.leaseTime;
	}

	/**
	 * Returns how many owners may hold the lock at a time.
	 * @return the number, which is 1 for a lock that excludes all others
	 */
	public int permits() {
		return this.permits;
	}

	/**
	 * Returns the registry that the lock belongs to.
	 * @return the name of the registry, or {@code null} for the one that gets the request
	 */
	public @Nullable String registry() {
		return this.registry;
	}

	/**
	 * Returns whether the database refuses transactions of a holder that has lost the
	 * lock.
	 * @return {@code true} if it does
	 */
	public boolean isFenced() {
		return this.fenced;
	}

	/** Work that goes on without its thread cannot have that as the owner. */
	void requireNoThread() {
		if (this.owner != null && this.owner.thread() != null) {
			throw new IllegalArgumentException(
					"Lock '%s' cannot belong to a thread (%s) while work goes on without it: name no owner, or one made by LockOwner.create"
						.formatted(OneLine.of(this.name), this.owner));
		}
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockRequest that && this.name.equals(that.name)
				&& this.metricName.equals(that.metricName) && this.type == that.type
				&& Objects.equals(this.owner, that.owner) && Objects.equals(this.waitTime, that.waitTime)
				&& Objects.equals(this.leaseTime, that.leaseTime) && this.permits == that.permits
				&& Objects.equals(this.registry, that.registry) && this.fenced == that.fenced;
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.name, this.type, this.owner);
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder(text()).append(" (").append(this.type);
		if (this.permits > 1) {
			text.append(", permits ").append(this.permits);
		}
		if (this.fenced) {
			text.append(", fenced");
		}
		return text.append(')').toString();
	}

}
