package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.timer.Timer;
import io.lockstarter.engine.event.Listeners;
import org.jspecify.annotations.Nullable;

/**
 * What all locks of a registry share.
 *
 * @param commands sends commands to the backend
 * @param timer runs what is due later
 * @param watchdog renews leases
 * @param listeners tells who listens
 * @param lostHolds remembers losses for their owners
 * @param tenureIds names tenures, each by an id that is never used again
 * @param handles makes the handle of a hold by which listeners hear of it
 * @param terms what a machine is told, as the backend is by then
 * @param leaseTime the lease of locks that are renewed
 * @param maxHoldTime after which time a lock is no longer renewed, or {@code null} for
 * never
 */
public record LockServices(Commands commands, Timer timer, Watchdog watchdog, Listeners listeners, LostHolds lostHolds,
		Supplier<TenureId> tenureIds, Function<Hold, LockHandle> handles, Supplier<MachineTerms> terms,
		Duration leaseTime, @Nullable Duration maxHoldTime) {

}
