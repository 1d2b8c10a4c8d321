package io.lockstarter.engine.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.timer.Timer;

/**
 * Renews leases in batches while their holders live, and declares the loss of those that
 * ran out. Works on the timer's thread and never waits for the backend.
 */
public final class Watchdog implements LeaseWatch.Renewals {

	private final Commands commands;

	private final Timer timer;

	/** The renewals due in this round of the timer; touched by its thread only. */
	private final List<LeaseWatch> due = new ArrayList<>();

	private volatile boolean stopped;

	public Watchdog(Commands commands, Timer timer) {
		this.commands = commands;
		this.timer = timer;
	}

	/** Watch over a tenure, from {@link LeaseWatch#start()} on. */
	public LeaseWatch watch(Renewable tenure) {
		return new LeaseWatch(tenure, this);
	}

	@Override
	public Timer timer() {
		return this.timer;
	}

	@Override
	public Moment now() {
		return Moment.now(this.commands.wallClock());
	}

	@Override
	public boolean goOn() {
		return !this.stopped;
	}

	@Override
	public void due(LeaseWatch watch) {
		this.due.add(watch);
	}

	/** Renew nothing any more; losses are still declared. */
	public void stop() {
		this.stopped = true;
	}

	/** Send what has become due, in one batch. */
	public void renewDue() {
		if (this.due.isEmpty()) {
			return;
		}
		List<LeaseWatch> batch = this.due.stream().filter((watch) -> !watch.hasEnded()).toList();
		this.due.clear();
		if (batch.isEmpty()) {
			return;
		}
		Moment start = now();
		long timeoutNanos = Long.MAX_VALUE;
		for (LeaseWatch watch : batch) {
			timeoutNanos = Math.min(timeoutNanos, watch.timeoutNanos());
		}
		this.commands.renew(batch.stream().map(LeaseWatch::command).toList(), timeoutNanos,
				(index, verdict, failure) -> batch.get(index).answered(start, verdict, failure));
	}

}
