package io.lockstarter.sample.experiments;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.sample.experiments.Event.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Listener that adds one event when an experiment loses its lock, and one when renewals
 * begin to fail.
 */
@Component
class TroubleReporter implements LockListener {

	private final Diary diary;

	private final Set<Long> failing = ConcurrentHashMap.newKeySet();

	TroubleReporter(Diary diary) {
		this.diary = diary;
	}

	@Override
	public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
		Experiment.withLock(lock.name())
			.filter((experiment) -> this.failing.add(lock.fencingToken()))
			.ifPresent((experiment) -> this.diary.add(experiment, Kind.FAILING, lock,
					"cannot renew its lease, and keeps the lock until the lease expires"));
	}

	@Override
	public void renewed(LockHandle lock) {
		Experiment.withLock(lock.name())
			.filter((experiment) -> this.failing.remove(lock.fencingToken()))
			.ifPresent((experiment) -> this.diary.add(experiment, Kind.RECOVERED, lock, "renews its lease again"));
	}

	@Override
	public void released(LockHandle lock, Duration held) {
		this.failing.remove(lock.fencingToken());
	}

	@Override
	public void lost(LockLoss loss) {
		this.failing.remove(loss.fencingToken());
		Experiment.withLock(loss.name())
			.ifPresent((experiment) -> this.diary.add(experiment, Kind.LOST, loss.fencingToken(),
					"lost the lock after %s: %s".formatted(Diary.text(loss.heldFor()), reason(loss.reason()))));
	}

	private static String reason(LockLoss.Reason reason) {
		return switch (reason) {
			case LEASE_EXPIRED -> "its lease expired";
			case NOT_OWNED -> "it was no longer the holder in Redis";
			case FORCE_RELEASED -> "the lock was force-released";
			case OWNER_ENDED -> "its thread ended";
			case MAX_HOLD_TIME -> "it held the lock for longer than allowed";
		};
	}

}
