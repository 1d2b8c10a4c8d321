package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.Moment;

/**
 * Renewals of leases that are due, which are sent together. The batch runs on the timer's
 * thread and never waits for the backend.
 */
public final class RenewalBatch {

	private final Commands commands;

	/** Renewals that are due in this round of the timer. Accessed only by its thread. */
	private final List<LeaseWatchdog> due = new ArrayList<>();

	private volatile boolean stopped;

	public RenewalBatch(Commands commands) {
		this.commands = commands;
	}

	/** Returns whether leases are still renewed. */
	boolean isRenewing() {
		return !this.stopped;
	}

	/** Adds a renewal to the next batch. Called on the timer's thread. */
	void due(LeaseWatchdog watchdog) {
		this.due.add(watchdog);
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
		List<LeaseWatchdog> batch = this.due.stream().filter((watchdog) -> !watchdog.hasEnded()).toList();
		this.due.clear();
		if (batch.isEmpty()) {
			return;
		}
		Moment start = Moment.now(this.commands.wallClock());
		long timeoutNanos = Long.MAX_VALUE;
		for (LeaseWatchdog watchdog : batch) {
			timeoutNanos = Math.min(timeoutNanos, watchdog.timeoutNanos());
		}
		this.commands.renew(batch.stream().map(LeaseWatchdog::renewal).toList(), timeoutNanos,
				(index, verdict, failure) -> batch.get(index).replied(start, verdict, failure));
	}

}
