package io.lockstarter.dashboard;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what went wrong with locks of this instance lately.
 */
final class Troubles implements LockListener {

	private static final int KEPT = 100;

	private static final int REPORTED = 50;

	private static final Duration REPORTED_FOR = Duration.ofHours(1);

	private final Clock clock;

	private final Deque<Trouble> latest = new ArrayDeque<>();

	private final Map<String, LastHour> losses = new ConcurrentHashMap<>();

	Troubles(Clock clock) {
		this.clock = clock;
	}

	@Override
	public void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
		Duration waitTime = request.waitTime();
		boolean hadTime = waitTime == null || !waitTime.isZero();
		Kind kind = switch (outcome) {
			// A single try that finds the lock taken is the usual way to skip work
			case TIMEOUT -> hadTime ? Kind.TIMED_OUT : null;
			case ERROR -> Kind.FAILED;
			case CANCELLED, CLOSED -> null;
		};
		if (kind != null) {
			String owner = (request.owner() != null) ? request.owner().toString() : Thread.currentThread().getName();
			keep(new Trouble(this.clock.instant(), kind, request.name(), request.metricName(), owner, waited.toMillis(),
					request.registry()));
		}
	}

	@Override
	public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
		keep(new Trouble(this.clock.instant(), Kind.RENEWAL_FAILED, lock.name(), lock.metricName(),
				lock.owner().toString(), null, lock.registry()));
	}

	@Override
	public void releaseUnconfirmed(LockHandle lock, Throwable cause) {
		keep(new Trouble(this.clock.instant(), Kind.RELEASE_UNCONFIRMED, lock.name(), lock.metricName(),
				lock.owner().toString(), null, lock.registry()));
	}

	@Override
	public void lost(LockLoss loss) {
		losses(loss.registry()).count();
		keep(new Trouble(loss.lostAt(), Kind.of(loss.reason()), loss.name(), loss.metricName(), loss.owner().toString(),
				loss.heldFor().toMillis(), loss.registry()));
	}

	@Override
	public void fenceRefused(FenceRefusal refusal) {
		keep(new Trouble(refusal.refusedAt(), Kind.FENCE_REFUSED, refusal.name(), refusal.metricName(),
				refusal.owner().toString(), null, refusal.registry()));
	}

	private void keep(Trouble trouble) {
		synchronized (this.latest) {
			// Failures repeat until they end: one line for them is enough
			this.latest.removeIf(trouble::repeats);
			this.latest.addFirst(trouble);
			if (this.latest.size() > KEPT) {
				this.latest.removeLast();
			}
		}
	}

	/** What went wrong lately, latest first. */
	List<Trouble> latest() {
		synchronized (this.latest) {
			return List.copyOf(this.latest);
		}
	}

	/**
	 * Returns what went wrong with locks of a registry within the last hour, as others
	 * are told.
	 */
	List<InstanceReport.Incident> incidents(@Nullable String registry) {
		Instant now = this.clock.instant();
		return latest().stream()
			.filter((trouble) -> trouble.at().isAfter(now.minus(REPORTED_FOR)))
			.filter((trouble) -> Objects.equals(trouble.registry(), registry)
					|| (trouble.registry() == null && LockRequest.DEFAULT_REGISTRY.equals(registry)))
			.limit(REPORTED)
			.map((trouble) -> trouble.reported(now))
			.toList();
	}

	/** How many locks of a registry were lost within the last hour. */
	long lost(@Nullable String registry) {
		return losses(registry).total();
	}

	private LastHour losses(@Nullable String registry) {
		return this.losses.computeIfAbsent(Objects.requireNonNullElse(registry, ""), (key) -> new LastHour(this.clock));
	}

	/**
	 * What can go wrong.
	 */
	enum Kind {

		/** A lock was not free in time. */
		TIMED_OUT,
		/** The backend failed when it was asked for a lock. */
		FAILED,
		/** A lease could not be renewed. */
		RENEWAL_FAILED,
		/** A release was not confirmed. */
		RELEASE_UNCONFIRMED,
		/** A lock was lost because its lease ran out. */
		LOST_LEASE_EXPIRED,
		/** A lock was lost because it belongs to nobody, or to somebody else. */
		LOST_NOT_OWNED,
		/** A lock was lost because it was taken away by force. */
		LOST_FORCE_RELEASED,
		/** A lock was lost because its owner's thread ended. */
		LOST_OWNER_ENDED,
		/** A lock was lost because it was held for too long. */
		LOST_MAX_HOLD_TIME,
		/** The database has refused the token of a lock. */
		FENCE_REFUSED;

		private static Kind of(LockLoss.Reason reason) {
			return switch (reason) {
				case LEASE_EXPIRED -> LOST_LEASE_EXPIRED;
				case NOT_OWNED -> LOST_NOT_OWNED;
				case FORCE_RELEASED -> LOST_FORCE_RELEASED;
				case OWNER_ENDED -> LOST_OWNER_ENDED;
				case MAX_HOLD_TIME -> LOST_MAX_HOLD_TIME;
			};
		}

	}

	/**
	 * Something that went wrong.
	 *
	 * @param at when
	 * @param kind what
	 * @param name the lock's name
	 * @param metricName the name under which the lock counts in meters
	 * @param owner who held the lock, or asked for it
	 * @param millis for how long, if that is known
	 * @param registry the registry of the lock, if there are several
	 */
	record Trouble(Instant at, Kind kind, String name, String metricName, String owner, @Nullable Long millis,
			@Nullable String registry) {

		private InstanceReport.Incident reported(Instant now) {
			return new InstanceReport.Incident(Math.max(0, Duration.between(this.at, now).toMillis()), this.kind.name(),
					this.name, this.metricName, this.owner, this.millis);
		}

		private boolean repeats(Trouble earlier) {
			return (this.kind == Kind.RENEWAL_FAILED || this.kind == Kind.FAILED) && earlier.kind == this.kind
					&& earlier.name.equals(this.name) && Objects.equals(earlier.registry, this.registry)
					&& earlier.owner.equals(this.owner);
		}

	}

}
