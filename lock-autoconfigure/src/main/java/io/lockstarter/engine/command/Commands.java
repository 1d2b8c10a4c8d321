package io.lockstarter.engine.command;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.logging.LockLog;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Commands to a backend, none of which stays without an answer: whatever the backend
 * does, each returned future completes within the command timeout.
 */
public final class Commands {

	private static final LockLog logger = LockLog.of(Commands.class);

	public static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

	private static final long LONGEST_CONNECT_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long FIRST_RETRY_NANOS = Duration.ofMillis(100).toNanos();

	private static final long LAST_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

	private final LockBackend backend;

	private final Timer timer;

	private final Consumer<String> onWithdrawn;

	private final AtomicLong sequence = new AtomicLong();

	/**
	 * Send commands to a backend.
	 * @param onWithdrawn is told the name of a lock for which a command has taken this
	 * client out of the waiters
	 */
	public Commands(LockBackend backend, Timer timer, Consumer<String> onWithdrawn) {
		this.backend = backend;
		this.timer = timer;
		this.onWithdrawn = onWithdrawn;
	}

	/** Whether a request can be made without waiting for randomness. */
	public boolean isIdentified() {
		return this.backend.isIdentified();
	}

	/** Make what requests need, for which the calling thread may have to wait. */
	public void identify() {
		this.backend.clientId();
	}

	public TenureId nextTenure() {
		return new TenureId(this.backend.clientId(), this.sequence.incrementAndGet());
	}

	/** Stands for no tenure in a release that just hands a wake-up on. */
	public TenureId noTenure() {
		return new TenureId(this.backend.clientId(), 0);
	}

	/** The wall clock that leases go by. */
	public InstantSource wallClock() {
		return this.backend.wallClock();
	}

	/** Whether this client is told when others wait for its locks. */
	public boolean isSubscribed() {
		return this.backend.isSubscribed();
	}

	/** Whether a lock may be granted by a message. */
	public boolean grantsDirectly() {
		return this.backend.grantsDirectly();
	}

	/** Whether a command may be sent before the one it follows upon is answered. */
	public boolean keepOrder() {
		return this.backend.keepsOrder();
	}

	/** Why a request cannot be served, whoever has the lock; {@code null} if it can. */
	public @Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		return this.backend.objection(name, type, permits, lease);
	}

	public void connect() {
		answer(guarded(this.backend::connect), (nothing, failure) -> {
			if (failure != null) {
				logger
					.info("No connection to the lock backend yet: " + OneLine.of(String.valueOf(failure.getMessage())));
			}
		});
	}

	/**
	 * Waits until commands can be sent. Connecting is charged neither to a command nor to
	 * the wait time of a request: the first connection of a cold JVM may take seconds,
	 * for which neither Redis nor a holder is the reason. A client library that gives up
	 * earlier connects again.
	 * @param name the lock that is to be requested
	 */
	public CompletableFuture<?> ready(String name) {
		CompletableFuture<?> connected = guarded(this.backend::connect);
		if (connected.isDone() && !connected.isCompletedExceptionally()) {
			return connected;
		}
		return ready(name, connected, System.nanoTime() + LONGEST_CONNECT_NANOS, null);
	}

	private CompletableFuture<Object> ready(String name, CompletableFuture<?> connecting, long until,
			@Nullable LockBackendException before) {
		// Others may wait for the same connection for longer.
		CompletableFuture<Object> connected = connecting.thenApply((connection) -> connection);
		return inTime(connected, until - System.nanoTime()).exceptionallyCompose((failure) -> {
			LockBackendException cause = explain(name, failure);
			if (cause.reason() == Reason.TIMEOUT && until - System.nanoTime() > FIRST_RETRY_NANOS) {
				return readyLater(name, until, cause);
			}
			// What the client library has told says more than that the time is over.
			boolean over = cause(failure) instanceof CancellationException;
			return CompletableFuture.failedFuture(unreachable(name, (over && before != null) ? before : cause));
		});
	}

	private CompletableFuture<Object> readyLater(String name, long until, LockBackendException before) {
		CompletableFuture<Object> pause = new CompletableFuture<>();
		this.timer.in(FIRST_RETRY_NANOS, () -> pause.complete(name));
		return pause.thenCompose((over) -> ready(name, guarded(this.backend::connect), until, before));
	}

	/** Ask for a lock. */
	public CompletableFuture<LockBackend.AcquireReply> acquire(LockBackend.Acquire command) {
		return inTime(guarded(() -> this.backend.acquire(command)), timeoutNanos(command.lease()));
	}

	private static LockBackendException unreachable(String name, LockBackendException cause) {
		Reason reason = (cause.reason() == Reason.TIMEOUT || cause.reason() == Reason.OTHER) ? Reason.UNREACHABLE
				: cause.reason();
		return new LockBackendException(name, reason, cause.detail(), cause);
	}

	public CompletableFuture<Release.Reply> release(Release command, Duration lease) {
		return inTime(guarded(() -> this.backend.release(command)), timeoutNanos(lease));
	}

	public CompletableFuture<CurrentHolders> holders(String name) {
		return translated(name, inTime(guarded(() -> this.backend.holders(name)), LONGEST_NANOS));
	}

	/** Fails with {@link IllegalArgumentException} if no page has said {@code from}. */
	public CompletableFuture<Page> names(String from, int size) {
		return inTime(guarded(() -> this.backend.names(from, size)), LONGEST_NANOS).exceptionallyCompose(
				(failure) -> CompletableFuture.failedFuture((failure instanceof IllegalArgumentException) ? failure
						: explain(LockBackendException.NO_LOCK, failure)));
	}

	public CompletableFuture<Release.Reply> forceRelease(Release command) {
		return translated(command.name(), inTime(guarded(() -> this.backend.release(command)), LONGEST_NANOS));
	}

	public CompletableFuture<Map<String, Object>> probe() {
		return translated(LockBackendException.NO_LOCK, inTime(guarded(this.backend::probe), LONGEST_NANOS));
	}

	public CompletableFuture<RenewalReply> renew(LockBackend.Renew command, Duration lease) {
		return translated(command.name(),
				inTime(guarded(() -> this.backend.renew(List.of(command)).get(0)), timeoutNanos(lease)));
	}

	/**
	 * Renew leases, each with an answer of its own, for none of which it takes longer.
	 */
	public void renew(List<LockBackend.Renew> commands, long timeoutNanos, Verdicts action) {
		List<CompletableFuture<RenewalReply>> verdicts = renew(commands);
		Timer.Task timeout = this.timer.in(timeoutNanos, () -> verdicts.forEach((verdict) -> verdict.cancel(false)));
		AtomicInteger open = new AtomicInteger(verdicts.size());
		for (int i = 0; i < verdicts.size(); i++) {
			int index = i;
			answer(verdicts.get(i), (verdict, failure) -> {
				if (open.decrementAndGet() == 0) {
					timeout.cancel();
				}
				action.accept(index, verdict, failure);
			});
		}
	}

	private List<CompletableFuture<RenewalReply>> renew(List<LockBackend.Renew> commands) {
		try {
			return this.backend.renew(commands);
		}
		catch (Throwable ex) {
			return Collections.nCopies(commands.size(), CompletableFuture.failedFuture(ex));
		}
	}

	/** Let a tenure end sooner, that nobody asks anything for any more. */
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return guarded(() -> this.backend.shortenLease(name, tenure, rest));
	}

	/** Whatever is thrown, as by a client that gets no thread, is an answer too. */
	private static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Withdraw a command that is not answered in time. */
	private <T> CompletableFuture<T> inTime(CompletableFuture<T> reply, long timeoutNanos) {
		timeOut(reply, timeoutNanos, () -> reply.cancel(false));
		return reply;
	}

	private void timeOut(CompletableFuture<?> reply, long timeoutNanos, Runnable withdrawal) {
		if (!reply.isDone()) {
			Timer.Task timeout = this.timer.in(timeoutNanos, withdrawal);
			reply.whenComplete((value, failure) -> timeout.cancel());
		}
	}

	private <T> CompletableFuture<T> translated(String name, CompletableFuture<T> reply) {
		return reply.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(explain(name, failure)));
	}

	/**
	 * Act upon a reply or a failure; what goes wrong with that, nobody else would hear
	 * of.
	 */
	public static <T> void answer(CompletableFuture<T> reply, BiConsumer<@Nullable T, @Nullable Throwable> action) {
		reply.whenComplete((value, failure) -> {
			try {
				action.accept(value, failure);
			}
			catch (Throwable ex) {
				logger.error("A reply could not be handled", ex);
			}
		});
	}

	/** How long a command may take for a lock with some lease. */
	public static long timeoutNanos(Duration lease) {
		return Math.min(lease.toNanos() / 6, LONGEST_NANOS);
	}

	/**
	 * End a tenure whose state in the backend is unknown, again and again until the
	 * backend confirms it or the lease is over, since then the lock is free by itself.
	 * @param lease how long the backend may keep it yet
	 */
	public void endForSure(String name, TenureId tenure, Duration lease) {
		endForSure(new Release(name, tenure, Intent.LEAVE, null), lease);
	}

	private void endForSure(Release command, Duration lease) {
		endForSure(command, lease, System.nanoTime() + lease.toNanos(), FIRST_RETRY_NANOS);
	}

	private void endForSure(Release command, Duration lease, long until, long pause) {
		answer(release(command, lease), (reply, failure) -> {
			if (failure == null) {
				this.onWithdrawn.accept(command.name());
			}
			else if (until - System.nanoTime() > pause) {
				this.timer.in(pause, () -> endForSure(command, lease, until, Math.min(2 * pause, LAST_RETRY_NANOS)));
			}
			else {
				LockBackendException cause = explain(command.name(), failure);
				logger.warn("Lock '%s': the backend did not confirm the end of tenure %s while that mattered: %s (%s)"
					.formatted(OneLine.of(command.name()), command.tenure(), cause.reason(),
							OneLine.of(cause.detail())));
				logger.debug("Why the end of tenure %s was not confirmed".formatted(command.tenure()), failure);
			}
		});
	}

	/**
	 * Leave the waiting clients, and hand on what this one was woken for or granted. A
	 * tenure is ended for sure: it may be granted the lock by a message that is lost.
	 * @param settled whether all that was asked with the tenure has been answered
	 */
	public void leave(String name, TenureId tenure, boolean settled, Duration lease) {
		Release command = new Release(name, tenure, Intent.LEAVE, null, settled);
		if (!tenure.equals(noTenure())) {
			endForSure(command, lease);
			return;
		}
		answer(release(command, lease), (reply, failure) -> {
			if (failure == null) {
				this.onWithdrawn.accept(name);
			}
			else {
				logger.debug("A wake-up for lock '%s' was not handed on; others will check by themselves"
					.formatted(OneLine.of(name)), failure);
			}
		});
	}

	/** What has made a future fail. */
	public static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** The failure of a command as callers are told it, with what the backend knows. */
	public LockBackendException explain(String name, Throwable failure) {
		return (cause(failure) instanceof CancellationException) ? this.backend.explainTimeout(name)
				: translate(name, failure);
	}

	/** The failure of a command, which may be one that was explained. */
	public static LockBackendException translate(String name, Throwable failure) {
		Throwable cause = cause(failure);
		if (cause instanceof LockBackendException known) {
			return known;
		}
		if (cause instanceof CancellationException) {
			return new LockBackendException(name, Reason.TIMEOUT, "command timeout", null);
		}
		if (cause instanceof OutOfMemoryError) {
			return new LockBackendException(name, Reason.JVM_EXHAUSTED, String.valueOf(cause.getMessage()), true,
					cause);
		}
		return new LockBackendException(name, Reason.OTHER, cause.toString(), true, cause);
	}

	/**
	 * Is told what has become of each of several renewals.
	 */
	@FunctionalInterface
	public interface Verdicts {

		/**
		 * A renewal has been answered, or has failed.
		 * @param index which one
		 */
		void accept(int index, @Nullable RenewalReply verdict, @Nullable Throwable failure);

	}

}
