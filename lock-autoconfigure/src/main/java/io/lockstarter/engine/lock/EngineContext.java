package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.event.Listeners;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Context that all locks of a registry share.
 *
 * @param commands the commands to the backend
 * @param timer the timer of delayed actions
 * @param renewals the renewals that are due
 * @param listeners the notification of listeners and observers
 * @param unreportedLosses the losses of which owners have not been notified
 * @param tenureIds supplies ids of tenures, none of which is used twice
 * @param handles creates the handle of a hold that listeners receive
 * @param settings supplies the settings of a machine, which depend on the current backend
 * @param leaseTime the lease of locks that are renewed
 * @param maxHoldTime the time after which a lock is no longer renewed, or {@code null}
 * for never
 */
public record EngineContext(Commands commands, Timer timer, RenewalBatch renewals, Listeners listeners,
		UnreportedLosses unreportedLosses, Supplier<TenureId> tenureIds, Function<Hold, LockHandle> handles,
		Supplier<MachineSettings> settings, Duration leaseTime, @Nullable Duration maxHoldTime) {

}
