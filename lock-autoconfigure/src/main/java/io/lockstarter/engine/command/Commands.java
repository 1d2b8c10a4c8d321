package io.lockstarter.engine.command;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
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
 * Commands to a backend, with timeouts. Whatever the backend does, a returned future
 * completes within the command timeout, except that of {@link #ready}, which waits for a
 * connection, and that of {@link #shortenLease}.
 */
public final class Commands {

	private static final LockLog logger = LockLog.of(Commands.class);

	/** Maximum timeout of a command: 2 s. */
	public static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

	/** Maximum time to wait for a connection: 10 s. */
	private static final long LONGEST_CONNECT_NANOS = Duration.ofSeconds(10).toNanos();

	/** Time until the first retry: 100 ms. The time doubles with each further failure. */
	private static final long FIRST_RETRY_NANOS = Duration.ofMillis(100).toNanos();

	/** Maximum time until a retry: 5 s. */
	private static final long LAST_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

	private final LockBackend backend;

	private final Timer timer;

	private final Consumer<String> onWithdrawn;

	private final AtomicLong sequence = new AtomicLong();

	/**
	 * Creates the commands of a backend.
	 * @param onWithdrawn is called with the name of a lock when a command has removed
	 * this client from its waiters
	 */
	public Commands(LockBackend backend, Timer timer, Consumer<String> onWithdrawn) {
		this.backend = backend;
		this.timer = timer;
		this.onWithdrawn = onWithdrawn;
	}

	/** Returns whether requests can be sent without blocking for random numbers. */
	public boolean isIdentified() {
		return this.backend.isIdentified();
	}

	/** Generates the client id, which may block the calling thread. */
	public void identify() {
		this.backend.clientId();
	}

	public TenureId nextTenure() {
		return new TenureId(this.backend.clientId(), this.sequence.incrementAndGet());
	}

	/**
	 * Returns the id that stands for no tenure in a release that only passes a wake-up to
	 * the next waiter.
	 */
	public TenureId noTenure() {
		return new TenureId(this.backend.clientId(), 0);
	}

	/** Returns the wall clock that measures leases. */
	public InstantSource wallClock() {
		return this.backend.wallClock();
	}

	/** Returns whether this client is notified when other clients wait for its locks. */
	public boolean isSubscribed() {
		return this.backend.isSubscribed();
	}

	/** Returns whether the backend may grant a lock by a message. */
	public boolean grantsDirectly() {
		return this.backend.grantsDirectly();
	}

	/**
	 * Returns whether a command may be sent before the preceding command has been replied
	 * to.
	 */
	public boolean keepOrder() {
		return this.backend.keepsOrder();
	}

	/**
	 * Returns why a request cannot be granted, regardless of the holder, or {@code null}
	 * if it can.
	 */
	public @Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		return this.backend.objection(name, type, permits, lease);
	}

	public void connect() {
		onReply(guarded(this.backend::connect), (nothing, failure) -> {
			if (failure != null) {
				logger.info("The lock backend cannot be reached; the next request connects again: "
						+ OneLine.of(String.valueOf(failure.getMessage())));
			}
		});
	}

	public void disconnect() {
		this.backend.disconnect();
	}

	/**
	 * Waits until commands can be sent. The time to connect counts neither towards a
	 * command timeout nor towards the wait time of a request, because the first
	 * connection of a JVM may take seconds that neither Redis nor a holder has caused. If
	 * the client library gives up earlier, the connection is retried.
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
		// Other requests may wait longer for the same connection.
		CompletableFuture<Object> connected = connecting.thenApply((connection) -> connection);
		return inTime(connected, until - System.nanoTime()).exceptionallyCompose((failure) -> {
			LockBackendException cause = explain(name, failure);
			if (cause.reason() == Reason.TIMEOUT && until - System.nanoTime() > FIRST_RETRY_NANOS) {
				return readyLater(name, until, cause);
			}
			// The failure of the client library is more specific than this timeout.
			boolean over = cause(failure) instanceof CancellationException;
			return CompletableFuture.failedFuture(unreachable(name, (over && before != null) ? before : cause));
		});
	}

	private CompletableFuture<Object> readyLater(String name, long until, LockBackendException before) {
		CompletableFuture<Object> pause = new CompletableFuture<>();
		this.timer.in(FIRST_RETRY_NANOS, () -> pause.complete(name));
		return pause.thenCompose((over) -> ready(name, guarded(this.backend::connect), until, before));
	}

	/** Sends an acquire request. */
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

	/**
	 * Lists locks. Fails with {@link IllegalArgumentException} if {@code from} is not the
	 * cursor of a page.
	 */
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
	 * Renews leases. Each renewal has its own reply, and all share one timeout.
	 */
	public void renew(List<LockBackend.Renew> commands, long timeoutNanos, Verdicts action) {
		List<CompletableFuture<RenewalReply>> verdicts = renew(commands);
		Timer.Task timeout = this.timer.in(timeoutNanos, () -> verdicts.forEach((verdict) -> verdict.cancel(false)));
		AtomicInteger open = new AtomicInteger(verdicts.size());
		for (int i = 0; i < verdicts.size(); i++) {
			int index = i;
			onReply(verdicts.get(i), (verdict, failure) -> {
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

	/** Shortens the lease of a tenure that no further command refers to. */
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return guarded(() -> this.backend.shortenLease(name, tenure, rest));
	}

	/**
	 * Returns the future of a command, or a failed one if the command throws, such as
	 * when the client library cannot start a thread.
	 */
	private static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Cancels a command that is not replied to in time. */
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
	 * Handles a reply or a failure. Logs exceptions of the handler, because no caller
	 * would receive them.
	 */
	public static <T> void onReply(CompletableFuture<T> reply, BiConsumer<@Nullable T, @Nullable Throwable> action) {
		reply.whenComplete((value, failure) -> {
			try {
				action.accept(value, failure);
			}
			catch (Throwable ex) {
				logger.error("A reply could not be handled", ex);
			}
		});
	}

	/**
	 * Returns the timeout of a command for a lock with the given lease, in nanoseconds.
	 */
	public static long timeoutNanos(Duration lease) {
		return Math.min(lease.toNanos() / 6, LONGEST_NANOS);
	}

	/**
	 * Cancels a tenure whose state in the backend is unknown. The command is repeated
	 * until the backend confirms it, or until the lease has expired and the lock is free
	 * anyway.
	 * @param lease the time for which the backend may still keep the tenure
	 */
	public void cancelUntilConfirmed(String name, TenureId tenure, Duration lease) {
		cancelUntilConfirmed(new Release(name, tenure, Intent.LEAVE, null), lease);
	}

	private void cancelUntilConfirmed(Release command, Duration lease) {
		cancelUntilConfirmed(command, lease, System.nanoTime() + lease.toNanos(), FIRST_RETRY_NANOS);
	}

	private void cancelUntilConfirmed(Release command, Duration lease, long until, long pause) {
		onReply(release(command, lease), (reply, failure) -> {
			if (failure == null) {
				this.onWithdrawn.accept(command.name());
			}
			else if (until - System.nanoTime() > pause) {
				this.timer.in(pause,
						() -> cancelUntilConfirmed(command, lease, until, Math.min(2 * pause, LAST_RETRY_NANOS)));
			}
			else {
				LockBackendException cause = explain(command.name(), failure);
				logger.warn("Lock '%s': the release of tenure %s was not confirmed before the lease expired: %s (%s)"
					.formatted(OneLine.of(command.name()), command.tenure(), cause.reason(),
							OneLine.of(cause.detail())));
				logger.debug("The release of tenure %s was not confirmed".formatted(command.tenure()), failure);
			}
		});
	}

	/**
	 * Removes this client from the waiters, and passes its wake-up or grant to the next
	 * waiter. A tenure is cancelled until confirmed, because a message may grant it the
	 * lock and be lost.
	 * @param replied whether all requests with this tenure have been replied to
	 */
	public void leave(String name, TenureId tenure, boolean replied, Duration lease) {
		Release command = new Release(name, tenure, Intent.LEAVE, null, replied);
		if (!tenure.equals(noTenure())) {
			cancelUntilConfirmed(command, lease);
			return;
		}
		onReply(release(command, lease), (reply, failure) -> {
			if (failure == null) {
				this.onWithdrawn.accept(name);
			}
			else {
				logger.debug("A wake-up for lock '%s' was not passed on; other instances retry without it"
					.formatted(OneLine.of(name)), failure);
			}
		});
	}

	/** Returns the cause of a failed future. */
	public static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Returns the failure of an acquire request for its caller, with details from the
	 * backend. If the request timed out early because of a short lease, the failure says
	 * so.
	 */
	public LockBackendException explain(LockBackend.Acquire command, Throwable failure) {
		LockBackendException explained = explain(command.name(), failure);
		long timeout = timeoutNanos(command.lease());
		if (!isTimeout(failure) || timeout == LONGEST_NANOS) {
			return explained;
		}
		String detail = String.format(Locale.ROOT,
				"%s (%d ms, a sixth of the lease time, which is too short if replies take longer)", explained.detail(),
				TimeUnit.NANOSECONDS.toMillis(timeout));
		return new LockBackendException(command.name(), explained.reason(), detail, explained.mayHaveRun(), explained);
	}

	/** Returns the failure of a command for its caller, with details from the backend. */
	public LockBackendException explain(String name, Throwable failure) {
		return isTimeout(failure) ? this.backend.explainTimeout(name) : translate(name, failure);
	}

	private static boolean isTimeout(Throwable failure) {
		return cause(failure) instanceof CancellationException;
	}

	/** Translates the failure of a command, unless it is already translated. */
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
	 * Callback for the replies to several renewals.
	 */
	@FunctionalInterface
	public interface Verdicts {

		/**
		 * Handles the reply to one renewal, or its failure.
		 * @param index the index of the renewal
		 */
		void accept(int index, @Nullable RenewalReply verdict, @Nullable Throwable failure);

	}

}
