package io.lockstarter.engine.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.command.Timer;

/**
 * Renews leases in batches while their holders live, and declares the loss of those that
 * ran out. Works on the timer's thread and never waits for the backend.
 */
public final class Watchdog {

	private final Commands commands;

	private final Timer timer;

	/** The renewals due in this round of the timer; touched by its thread only. */
	private final List<LeaseWatch> due = new ArrayList<>();

	private volatile boolean stopped;

	private final BooleanSupplier renews = this::renews;

	private final Consumer<LeaseWatch> onDue = this.due::add;

	public Watchdog(Commands commands, Timer timer) {
		this.commands = commands;
		this.timer = timer;
	}

	/** Watch over a tenure, from {@link LeaseWatch#start()} on. */
	public LeaseWatch watch(Renewable tenure) {
		return new LeaseWatch(tenure, this.timer, this.renews, this.onDue);
	}

	private boolean renews() {
		return !this.stopped;
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
		Moment start = Moment.now();
		long timeoutNanos = Long.MAX_VALUE;
		for (LeaseWatch watch : batch) {
			timeoutNanos = Math.min(timeoutNanos, watch.timeoutNanos());
		}
		List<CompletableFuture<RenewalReply>> verdicts = this.commands
			.renew(batch.stream().map(LeaseWatch::command).toList(), timeoutNanos);
		for (int i = 0; i < batch.size(); i++) {
			LeaseWatch watch = batch.get(i);
			Commands.answer(verdicts.get(i), (verdict, failure) -> watch.answered(start, verdict, failure));
		}
	}

}
