package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.Moment;

/**
 * Watchdog that renews leases in batches while their holders are alive. It runs on the
 * timer's thread and never waits for the backend.
 */
public final class Watchdog {

	private final Commands commands;

	/** Renewals that are due in this round of the timer. Accessed only by its thread. */
	private final List<LeaseKeeper> due = new ArrayList<>();

	private volatile boolean stopped;

	public Watchdog(Commands commands) {
		this.commands = commands;
	}

	/** Returns whether leases are still renewed. */
	boolean goOn() {
		return !this.stopped;
	}

	/** Adds a renewal to the next batch. Called on the timer's thread. */
	void due(LeaseKeeper keeper) {
		this.due.add(keeper);
	}

	/** Stops renewing leases. Losses are still declared. */
	public void stop() {
		this.stopped = true;
	}

	/** Sends the renewals that are due, in one batch. */
	public void renewDue() {
		if (this.due.isEmpty()) {
			return;
		}
		List<LeaseKeeper> batch = this.due.stream().filter((keeper) -> !keeper.hasEnded()).toList();
		this.due.clear();
		if (batch.isEmpty()) {
			return;
		}
		Moment start = Moment.now(this.commands.wallClock());
		long timeoutNanos = Long.MAX_VALUE;
		for (LeaseKeeper keeper : batch) {
			timeoutNanos = Math.min(timeoutNanos, keeper.timeoutNanos());
		}
		this.commands.renew(batch.stream().map(LeaseKeeper::renewal).toList(), timeoutNanos,
				(index, verdict, failure) -> batch.get(index).replied(start, verdict, failure));
	}

}
