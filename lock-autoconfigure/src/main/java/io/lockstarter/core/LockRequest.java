package io.lockstarter.core;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Request for a lock: its name and options. Absent options come from the configuration.
 * Immutable and thread-safe: each method that sets an option returns a changed copy.
 */
public final class LockRequest {

	/**
	 * Default metric name.
	 */
	public static final String DEFAULT_METRIC_NAME = "programmatic";

	/**
	 * Name of the default registry, which is injected without a qualifier if there are
	 * several.
	 */
	public static final String DEFAULT_REGISTRY = "default";

	/**
	 * Wait time without a limit.
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
					"Lock '%s' has %d permits, which type %s does not support: readers are not limited, and writers are exclusive",
					name, permits, type));
		}
		if (fenced && (permits > 1 || type == LockType.READ)) {
			throw new IllegalArgumentException(
					"Lock '%s' cannot be fenced with type %s and permits %s: fencing tokens of owners that hold a lock together have no order"
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

	/** Returns the lock's name for messages. */
	String text() {
		return text(this.name, this.registry);
	}

	/** Returns a lock's name for messages, with its registry if there are several. */
	static String text(String name, @Nullable String registry) {
		return "Lock '" + name + ((registry != null) ? "' of registry '" + registry + "'" : "'");
	}

	/**
	 * Creates a request with the configured options.
	 * @param name the lock's name
	 * @return the request
	 * @throws IllegalArgumentException if the name is empty
	 */
	public static LockRequest of(String name) {
		return new LockRequest(name, DEFAULT_METRIC_NAME, LockType.REENTRANT, null, null, null, 1, null, false);
	}

	/**
	 * Sets the name of the lock in meters, which many locks may share.
	 * @param metricName a low-cardinality name, never derived from user data
	 * @return a copy with that name
	 */
	public LockRequest metricName(String metricName) {
		return new LockRequest(this.name, metricName, this.type, this.owner, this.waitTime, this.leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Sets the type of the lock.
	 * @param type the type
	 * @return a copy with that type
	 */
	public LockRequest type(LockType type) {
		return new LockRequest(this.name, this.metricName, type, this.owner, this.waitTime, this.leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Sets an explicit owner, which may release the lock on any thread.
	 * @param owner the owner
	 * @return a copy with that owner
	 */
	public LockRequest owner(LockOwner owner) {
		return new LockRequest(this.name, this.metricName, this.type, owner, this.waitTime, this.leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Sets the maximum wait. Zero tries once, {@link #FOREVER} waits without a limit. The
	 * default is {@code distributed-lock.wait-time}, which is 10 s unless set.
	 * @param waitTime the maximum wait
	 * @return a copy with that wait time
	 * @throws IllegalArgumentException if the wait time is negative
	 */
	public LockRequest waitTime(Duration waitTime) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, waitTime, this.leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Sets a fixed lease, which the watchdog does not renew. A re-entry keeps the lease
	 * of the outermost hold; see {@link LockHandle#extend}.
	 * @param leaseTime the lease, from 100 ms to 365 days
	 * @return a copy with that lease
	 * @throws IllegalArgumentException if the lease is zero or negative; the registry
	 * refuses other leases out of range
	 */
	public LockRequest leaseTime(Duration leaseTime) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, this.waitTime, leaseTime,
				this.permits, this.registry, this.fenced);
	}

	/**
	 * Sets the number of permits: up to that many owners may hold the lock at a time,
	 * over all instances. Each hold has its own lease and fencing token. A request
	 * without permits still excludes all others. If requests name different numbers, each
	 * is granted when fewer owners than its own number hold the lock.
	 * @param permits the number of permits; 1 is an exclusive lock
	 * @return a copy with that number
	 * @throws IllegalArgumentException if the number is less than 1, or more than 1 for a
	 * reader or writer
	 */
	public LockRequest permits(int permits) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, this.waitTime, this.leaseTime,
				permits, this.registry, this.fenced);
	}

	/**
	 * Sets the registry of the lock. The registry that receives the request forwards it.
	 * @param registry the registry's name in the configuration, or
	 * {@link #DEFAULT_REGISTRY}
	 * @return a copy for that registry
	 */
	public LockRequest registry(String registry) {
		return new LockRequest(this.name, this.metricName, this.type, this.owner, this.waitTime, this.leaseTime,
				this.permits, registry, this.fenced);
	}

	/**
	 * Makes the database refuse the transactions of a holder that has lost the lock, like
	 * {@code fenced} of {@code @DistributedLock}. Only for {@link LockRegistry#execute}:
	 * with a {@link LockHandle}, register and verify its token by
	 * {@code io.lockstarter.fence.Fence}.
	 * @return a copy that is fenced
	 * @throws IllegalArgumentException for a reader, or for more than one permit
	 */
	public LockRequest fenced() {
		return fenced(true);
	}

	/**
	 * Sets whether the database refuses the transactions of a holder that has lost the
	 * lock.
	 * @param fenced whether the database refuses them
	 * @return a copy with that choice
	 * @throws IllegalArgumentException if a reader, or more than one permit, is to be
	 * fenced
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
	 * Returns the name of the lock in meters.
	 * @return a name of low cardinality
	 */
	public String metricName() {
		return this.metricName;
	}

	/**
	 * Returns the type of the lock.
	 * @return the type
	 */
	public LockType type() {
		return this.type;
	}

	/**
	 * Returns the owner that will hold the lock.
	 * @return the owner, or {@code null} for the calling thread, or for a new owner in an
	 * asynchronous acquisition
	 */
	public @Nullable LockOwner owner() {
		return this.owner;
	}

	/**
	 * Returns the maximum wait.
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
	 * Returns the number of permits.
	 * @return the number, which is 1 for an exclusive lock
	 */
	public int permits() {
		return this.permits;
	}

	/**
	 * Returns the registry of the lock.
	 * @return the name of the registry, or {@code null} for the one that receives the
	 * request
	 */
	public @Nullable String registry() {
		return this.registry;
	}

	/**
	 * Returns whether the database refuses transactions of a holder that has lost the
	 * lock.
	 * @return {@code true} if the database refuses them
	 */
	public boolean isFenced() {
		return this.fenced;
	}

	/**
	 * Checks that the owner is not a thread, because the work continues without its
	 * thread.
	 */
	void requireNoThread() {
		if (this.owner != null && this.owner.thread() != null) {
			throw new IllegalArgumentException(
					"Lock '%s' cannot belong to a thread (%s), because the work continues without the thread: name no owner, or one created by LockOwner.create"
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
