package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.event.Listeners;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.logging.LockLog;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Runner of the effects of one name, which sends commands, completes requests, renews
 * leases and notifies listeners. Most effects run after the monitor of the
 * {@link LocalLock} is released, because they may call back. The effects of one step run
 * in their order. Effects of different steps may run in any order.
 */
public final class EffectRunner {

	private static final LockLog logger = LockLog.of(EffectRunner.class);

	/** Retry interval while not subscribed: 100 ms. */
	private static final long RECHECK_UNSUBSCRIBED_NANOS = Duration.ofMillis(100).toNanos();

	/** Retry interval of a failed downgrade: 100 ms. */
	private static final long DOWNGRADE_RETRY_NANOS = Duration.ofMillis(100).toNanos();

	private final LocalLock lock;

	private final EngineContext context;

	/** Timer of the next retry. Guarded by the monitor of the lock. */
	private Timer.@Nullable Task recheck;

	/**
	 * Creates a runner.
	 * @param lock receives the results of the effects
	 */
	EffectRunner(LocalLock lock, EngineContext context) {
		this.lock = lock;
		this.context = context;
	}

	/** Runs the effects that the next event relies on. Called under the monitor. */
	void runUnderMonitor(List<Effect> effects) {
		for (Effect effect : effects) {
			if (effect instanceof Effect.AtOnce atOnce) {
				guarded(() -> runNow(atOnce));
			}
		}
	}

	/**
	 * Runs the other effects, and notifies listeners of losses. Called without the
	 * monitor.
	 */
	void runLater(List<Effect> effects) {
		for (Effect effect : effects) {
			guarded(() -> runLater(effect));
		}
	}

	/**
	 * Runs an effect and logs its exception, because each effect has a waiting caller.
	 */
	private static void guarded(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			logger.error("An action of a lock failed", ex);
		}
	}

	private void runNow(Effect.AtOnce effect) {
		if (effect instanceof Effect.Recheck again) {
			boolean unsubscribed = again.wakeable() && !this.context.commands().isSubscribed();
			recheckIn(
					Math.min(again.longestNanos(), varied(unsubscribed ? RECHECK_UNSUBSCRIBED_NANOS : again.nanos())));
		}
		else if (effect instanceof Effect.StopRecheck) {
			stopRecheck();
		}
		else if (effect instanceof Effect.Lost lost) {
			// The owner cannot have continued with other work before the loss is
			// recorded.
			this.context.unreportedLosses().add(lost.hold());
		}
		else if (effect instanceof Effect.ForgetLoss known) {
			this.context.unreportedLosses().remove(known.hold());
		}
		else {
			this.lock.retired();
		}
	}

	private void recheckIn(long nanos) {
		this.recheck = this.context.timer().in(nanos, this.lock::recheck);
	}

	private static long varied(long nanos) {
		return (long) (nanos * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
	}

	private void stopRecheck() {
		if (this.recheck != null) {
			this.recheck.cancel();
			this.recheck = null;
		}
	}

	private void runLater(Effect effect) {
		if (effect instanceof Effect.Command command) {
			send(command);
		}
		else if (effect instanceof Effect.Notification notification) {
			notifyWaiter(notification);
		}
		else if (effect instanceof Effect.Upkeep upkeep) {
			runUpkeep(upkeep);
		}
		else if (effect instanceof Effect.ReleaseOutcome outcome) {
			completeRelease(outcome);
		}
		else if (effect instanceof Effect.Lost lost) {
			lost(lost.hold(), lost.loss());
		}
	}

	private void lost(Hold hold, LockLoss loss) {
		this.context.listeners().lost(hold.span(), loss);
	}

	private void send(Effect.Command effect) {
		Commands commands = this.context.commands();
		if (effect instanceof Effect.SendAcquire request) {
			sendAcquire(request);
		}
		else if (effect instanceof Effect.SendRelease release) {
			Moment start = Moment.now(commands.wallClock());
			Commands.onReply(commands.release(release.command(), release.tenure().lease().time()),
					(reply, failure) -> this.lock.released(release, start, reply, failure));
		}
		else if (effect instanceof Effect.CancelUntilConfirmed end) {
			commands.cancelUntilConfirmed(this.lock.name(), end.tenure(), end.longest());
		}
		else if (effect instanceof Effect.Leave leave) {
			TenureId tenure = leave.tenure();
			commands.leave(this.lock.name(), (tenure != null) ? tenure : commands.noTenure(), leave.replied(),
					this.context.leaseTime());
		}
	}

	private void sendAcquire(Effect.SendAcquire request) {
		Commands commands = this.context.commands();
		Commands.onReply(commands.ready(this.lock.name()), (nothing, unreachable) -> {
			if (unreachable != null) {
				this.lock.replied(request, null, null, unreachable);
				return;
			}
			Moment start = Moment.now(commands.wallClock());
			Commands.onReply(commands.acquire(request.command()),
					(reply, failure) -> this.lock.replied(request, start, reply, failure));
		});
	}

	private static void notifyWaiter(Effect.Notification effect) {
		if (effect instanceof Effect.Grant grant) {
			grant.waiter().granted(new Waiter.Granted(grant.hold(), grant.kind()));
		}
		else if (effect instanceof Effect.Refuse refusal) {
			refusal.waiter().refused();
		}
		else if (effect instanceof Effect.Fail failure) {
			failure.waiter().failed(failure.cause());
		}
		else if (effect instanceof Effect.Signal signal) {
			signal.waiter().signal();
		}
	}

	private void runUpkeep(Effect.Upkeep effect) {
		if (effect instanceof Effect.StartRenewal start) {
			start.tenure().watchdog(this.context).start();
		}
		else if (effect instanceof Effect.StopRenewal stop) {
			stop.tenure().watchdog(this.context).stop();
		}
		else if (effect instanceof Effect.WriteCount count) {
			count.tenure().watchdog(this.context).countChanged();
		}
		else if (effect instanceof Effect.RetryDowngrade retry) {
			this.context.timer().in(DOWNGRADE_RETRY_NANOS, () -> this.lock.downgradeAgain(retry.tenure()));
		}
	}

	/**
	 * Completes the release of a hold. The waiting caller notifies listeners, so that
	 * they do not block the thread that delivers replies.
	 */
	private void completeRelease(Effect.ReleaseOutcome effect) {
		if (effect instanceof Effect.Released released) {
			Hold hold = released.hold();
			hold.ending().complete(() -> notifyOfRelease(hold, released.heldFor()));
		}
		else if (effect instanceof Effect.Unconfirmed unconfirmed) {
			Hold hold = unconfirmed.hold();
			hold.ending().complete(() -> {
				notifyOfRelease(hold, unconfirmed.heldFor());
				LockHandle handle = this.context.handles().apply(hold);
				this.context.listeners()
					.publish((listener) -> listener.releaseUnconfirmed(handle, unconfirmed.cause()));
			});
		}
		else if (effect instanceof Effect.LossFoundByRelease lost) {
			lost.hold().ending().completeExceptionally(new LockLostException(lost.loss()));
			lost(lost.hold(), lost.loss());
		}
	}

	/** Notifies listeners and observers that a hold has been released. */
	void notifyOfRelease(Hold hold, Duration heldFor) {
		Listeners listeners = this.context.listeners();
		if (!listeners.isEmpty()) {
			listeners.released(this.context.handles().apply(hold), heldFor);
		}
		hold.span().end(hold.loss());
	}

	/**
	 * Returns whether a listener or an observer has to be notified of the end of a hold.
	 */
	boolean isObserved(Hold hold) {
		return !this.context.listeners().isEmpty() || hold.isObserved();
	}

}
