package io.lockstarter.sample.board;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.sample.board.Event.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Logs lost locks and failing renewals as events.
 */
@Component
class TroubleReporter implements LockListener {

	private final EventLog events;

	private final Set<Long> failing = ConcurrentHashMap.newKeySet();

	TroubleReporter(EventLog events) {
		this.events = events;
	}

	@Override
	public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
		this.failing.add(lock.fencingToken());
		this.events.add(Kind.FAILING, lock, "renewal failed" + ((cause != null) ? ": " + text(cause) : ""));
	}

	@Override
	public void renewed(LockHandle lock) {
		if (this.failing.remove(lock.fencingToken())) {
			this.events.add(Kind.RECOVERED, lock, "renewed again");
		}
	}

	@Override
	public void released(LockHandle lock, Duration held) {
		this.failing.remove(lock.fencingToken());
	}

	@Override
	public void lost(LockLoss loss) {
		this.failing.remove(loss.fencingToken());
		this.events.add(Kind.LOST, loss.name(), Long.toString(loss.fencingToken()),
				"lost after %d ms: %s".formatted(loss.heldFor().toMillis(), switch (loss.reason()) {
					case LEASE_EXPIRED -> "its lease ran out";
					case NOT_OWNED -> "Redis no longer knew this holder";
					case OWNER_ENDED -> "its owner's thread ended";
					case MAX_HOLD_TIME -> "it was held for too long";
				}));
	}

	private static String text(Throwable cause) {
		String message = cause.getMessage();
		return (message != null) ? message : cause.getClass().getSimpleName();
	}

}
