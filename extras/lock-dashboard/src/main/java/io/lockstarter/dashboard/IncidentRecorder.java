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
 * Recorder of the incidents that concern locks of this instance.
 */
final class IncidentRecorder implements LockListener {

	private static final int MAX_RECORDED = 100;

	private static final int MAX_REPORTED = 50;

	/** Age up to which an incident is reported: one hour. */
	private static final Duration RETENTION = Duration.ofHours(1);

	private final Clock clock;

	private final Deque<RecordedIncident> latest = new ArrayDeque<>();

	private final Map<String, LastHour> losses = new ConcurrentHashMap<>();

	IncidentRecorder(Clock clock) {
		this.clock = clock;
	}

	@Override
	public void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
		Duration waitTime = request.waitTime();
		boolean hadTime = waitTime == null || !waitTime.isZero();
		Kind kind = switch (outcome) {
			// Without a wait time, a lock that is held is no incident: callers skip the
			// work
			case TIMEOUT -> hadTime ? Kind.TIMED_OUT : null;
			case ERROR -> Kind.FAILED;
			case CANCELLED, CLOSED -> null;
		};
		if (kind != null) {
			String owner = (request.owner() != null) ? request.owner().toString() : Thread.currentThread().getName();
			add(new RecordedIncident(this.clock.instant(), kind, request.name(), request.metricName(), owner,
					waited.toMillis(), request.registry()));
		}
	}

	@Override
	public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
		add(new RecordedIncident(this.clock.instant(), Kind.RENEWAL_FAILED, lock.name(), lock.metricName(),
				lock.owner().toString(), null, lock.registry()));
	}

	@Override
	public void releaseUnconfirmed(LockHandle lock, Throwable cause) {
		add(new RecordedIncident(this.clock.instant(), Kind.RELEASE_UNCONFIRMED, lock.name(), lock.metricName(),
				lock.owner().toString(), null, lock.registry()));
	}

	@Override
	public void lost(LockLoss loss) {
		losses(loss.registry()).count();
		add(new RecordedIncident(loss.lostAt(), Kind.of(loss.reason()), loss.name(), loss.metricName(),
				loss.owner().toString(), loss.heldFor().toMillis(), loss.registry()));
	}

	@Override
	public void fenceRefused(FenceRefusal refusal) {
		add(new RecordedIncident(refusal.refusedAt(), Kind.FENCE_REFUSED, refusal.name(), refusal.metricName(),
				refusal.owner().toString(), null, refusal.registry()));
	}

	private void add(RecordedIncident incident) {
		synchronized (this.latest) {
			// The latest of repeated failures replaces the earlier ones
			this.latest.removeIf(incident::repeats);
			this.latest.addFirst(incident);
			if (this.latest.size() > MAX_RECORDED) {
				this.latest.removeLast();
			}
		}
	}

	/** Returns the recorded incidents, the latest first. */
	List<RecordedIncident> latest() {
		synchronized (this.latest) {
			return List.copyOf(this.latest);
		}
	}

	/**
	 * Returns the incidents of the last hour that concern locks of a registry, as this
	 * instance reports them to others.
	 */
	List<InstanceReport.Incident> incidents(@Nullable String registry) {
		Instant now = this.clock.instant();
		return latest().stream()
			.filter((incident) -> incident.at().isAfter(now.minus(RETENTION)))
			.filter((incident) -> Objects.equals(incident.registry(), registry)
					|| (incident.registry() == null && LockRequest.DEFAULT_REGISTRY.equals(registry)))
			.limit(MAX_REPORTED)
			.map((incident) -> incident.reported(now))
			.toList();
	}

	/** Returns the number of locks of a registry that were lost within the last hour. */
	long lost(@Nullable String registry) {
		return losses(registry).total();
	}

	private LastHour losses(@Nullable String registry) {
		return this.losses.computeIfAbsent(Objects.requireNonNullElse(registry, ""), (key) -> new LastHour(this.clock));
	}

	/**
	 * Kind of an incident.
	 */
	enum Kind {

		/** A lock was not acquired within the wait time. */
		TIMED_OUT,
		/** The backend failed to process an acquire request. */
		FAILED,
		/** A lease could not be renewed. */
		RENEWAL_FAILED,
		/** A release was not confirmed. */
		RELEASE_UNCONFIRMED,
		/** A lock was lost because its lease ran out. */
		LOST_LEASE_EXPIRED,
		/** A lock was lost because its owner no longer held it in the backend. */
		LOST_NOT_OWNED,
		/** A lock was lost because it was force-released. */
		LOST_FORCE_RELEASED,
		/** A lock was lost because its owner's thread ended. */
		LOST_OWNER_ENDED,
		/** A lock was lost because it was held for longer than allowed. */
		LOST_MAX_HOLD_TIME,
		/** The database refused the fencing token of a lock. */
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
	 * Recorded incident.
	 *
	 * @param at the time of the incident
	 * @param kind the kind of the incident
	 * @param name the lock's name
	 * @param metricName the name under which the lock counts in meters
	 * @param owner the owner that held or requested the lock
	 * @param millis the duration of the hold or of the wait, or {@code null} if it is
	 * unknown
	 * @param registry the registry of the lock, or {@code null} for the default one
	 */
	record RecordedIncident(Instant at, Kind kind, String name, String metricName, String owner, @Nullable Long millis,
			@Nullable String registry) {

		private InstanceReport.Incident reported(Instant now) {
			return new InstanceReport.Incident(Math.max(0, Duration.between(this.at, now).toMillis()), this.kind.name(),
					this.name, this.metricName, this.owner, this.millis);
		}

		private boolean repeats(RecordedIncident earlier) {
			return (this.kind == Kind.RENEWAL_FAILED || this.kind == Kind.FAILED) && earlier.kind == this.kind
					&& earlier.name.equals(this.name) && Objects.equals(earlier.registry, this.registry)
					&& earlier.owner.equals(this.owner);
		}

	}

}
