package io.lockstarter.engine;

import java.time.Duration;
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
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Occupancy;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.core.backend.LockBackend.Verdict;
import io.lockstarter.core.backend.TenureId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Commands to a backend, none of which stays without an answer: whatever the backend
 * does, a reply or a failure comes within the command timeout.
 */
final class Commands {

	private static final Log logger = LogFactory.getLog(Commands.class);

	static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

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
	Commands(LockBackend backend, Timer timer, Consumer<String> onWithdrawn) {
		this.backend = backend;
		this.timer = timer;
		this.onWithdrawn = onWithdrawn;
	}

	TenureId nextTenure() {
		return new TenureId(this.backend.clientId(), this.sequence.incrementAndGet());
	}

	/** Stands for no tenure in a release that just hands a wake-up on. */
	TenureId noTenure() {
		return new TenureId(this.backend.clientId(), 0);
	}

	/** Whether this client is told when others wait for its locks. */
	boolean isListening() {
		return this.backend.isListening();
	}

	/** Whether a lock may be granted by a message. */
	boolean makesOffers() {
		return this.backend.makesOffers();
	}

	/** Whether a command may be sent before the one it follows upon is answered. */
	boolean keepOrder() {
		return this.backend.keepsOrder();
	}

	/** Why a request cannot be served, whoever has the lock; {@code null} if it can. */
	@Nullable LockBackendException objection(Waiter waiter) {
		return this.backend.objection(waiter.request().name(), waiter.request().type(), waiter.lease());
	}

	void connect() {
		guarded(this.backend::connect).whenComplete((nothing, failure) -> {
			if (failure != null) {
				logger
					.info("No connection to the lock backend yet: " + OneLine.of(String.valueOf(failure.getMessage())));
			}
		});
	}

	/**
	 * Ask for a lock. Connecting is not charged to the command: its time starts when it
	 * can be sent. The first connection of a cold JVM may take long, so whoever has time
	 * to wait for the lock also waits for that.
	 * @param patience how long the request waits for the lock
	 */
	void acquire(LockBackend.Acquire command, Duration patience, AcquireCallback then) {
		CompletableFuture<?> connected = guarded(this.backend::connect);
		if (connected.isDone() && !connected.isCompletedExceptionally()) {
			send(command, then);
			return;
		}
		CompletableFuture<Object> ready = new CompletableFuture<>();
		connected.whenComplete((nothing, failure) -> {
			if (failure != null) {
				ready.completeExceptionally(failure);
			}
			else {
				ready.complete(command);
			}
		});
		long connectNanos = Math.max(LONGEST_NANOS, Math.min(patience.toNanos(), LONGEST_CONNECT_NANOS));
		await(ready, connectNanos, (sendable, failure) -> {
			if (failure != null) {
				then.answered(null, null, unreachable(command.name(), failure));
			}
			else {
				send(command, then);
			}
		});
	}

	private void send(LockBackend.Acquire command, AcquireCallback then) {
		Moment start = Moment.now();
		await(guarded(() -> this.backend.acquire(command)), timeoutNanos(command.lease()),
				(answer, failure) -> then.answered(start, answer, failure));
	}

	private static LockBackendException unreachable(String name, Throwable failure) {
		LockBackendException cause = translate(name, failure);
		Reason reason = (cause.reason() == Reason.TIMEOUT || cause.reason() == Reason.OTHER) ? Reason.UNREACHABLE
				: cause.reason();
		return new LockBackendException(name, reason, cause.detail(), cause);
	}

	void release(Release command, Duration lease, BiConsumer<Release.@Nullable Reply, @Nullable Throwable> then) {
		await(guarded(() -> this.backend.release(command)), timeoutNanos(lease), then);
	}

	void occupancy(String name, BiConsumer<@Nullable Occupancy, @Nullable Throwable> then) {
		await(guarded(() -> this.backend.occupancy(name)), LONGEST_NANOS, then);
	}

	void names(String from, int size, BiConsumer<@Nullable Page, @Nullable Throwable> then) {
		await(guarded(() -> this.backend.names(from, size)), LONGEST_NANOS, then);
	}

	void oust(Release command, BiConsumer<Release.@Nullable Reply, @Nullable Throwable> then) {
		await(guarded(() -> this.backend.release(command)), LONGEST_NANOS, then);
	}

	void renew(LockBackend.Renew command, Duration lease, BiConsumer<@Nullable Verdict, @Nullable Throwable> then) {
		await(renew(List.of(command)).get(0), timeoutNanos(lease), then);
	}

	List<CompletableFuture<Verdict>> renew(List<LockBackend.Renew> commands) {
		try {
			return this.backend.renew(commands);
		}
		catch (Throwable ex) {
			return Collections.nCopies(commands.size(), CompletableFuture.failedFuture(ex));
		}
	}

	/** Let a tenure end sooner, that nobody asks anything for any more. */
	CompletableFuture<Boolean> curtail(String name, TenureId tenure, Duration rest) {
		try {
			return this.backend.curtail(name, tenure, rest);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
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

	/** Wait for a reply no longer than a timeout. */
	<T> void await(CompletableFuture<T> reply, long timeoutNanos, BiConsumer<@Nullable T, @Nullable Throwable> then) {
		awaitAll(List.of(reply), timeoutNanos, (index, value, failure) -> then.accept(value, failure));
	}

	/** Wait for each of some replies, for none longer than a timeout. */
	<T> void awaitAll(List<CompletableFuture<T>> replies, long timeoutNanos, ReplyCallback<T> then) {
		AtomicInteger missing = new AtomicInteger(replies.size());
		boolean done = true;
		for (CompletableFuture<T> reply : replies) {
			done &= reply.isDone();
		}
		Timer.Task timeout = done ? null
				: this.timer.in(timeoutNanos, () -> replies.forEach((reply) -> reply.cancel(false)));
		for (int i = 0; i < replies.size(); i++) {
			int index = i;
			replies.get(i).whenComplete((value, failure) -> {
				try {
					then.replied(index, value, failure);
				}
				catch (Throwable ex) {
					logger.error("A reply could not be handled", ex);
				}
				if (missing.decrementAndGet() == 0 && timeout != null) {
					timeout.cancel();
				}
			});
		}
	}

	/** How long a command may take for a lock with some lease. */
	static long timeoutNanos(Duration lease) {
		return Math.min(lease.toNanos() / 6, LONGEST_NANOS);
	}

	/**
	 * End a tenure whose state in the backend is unknown, again and again until the
	 * backend confirms it or the lease is over, since then the lock is free by itself.
	 * @param lease how long the backend may keep it yet
	 */
	void settle(String name, TenureId tenure, Duration lease) {
		settle(new Release(name, tenure, Intent.LEAVE, null), lease, System.nanoTime() + lease.toNanos(),
				FIRST_RETRY_NANOS);
	}

	private void settle(Release command, Duration lease, long until, long pause) {
		release(command, lease, (reply, failure) -> {
			if (failure == null) {
				this.onWithdrawn.accept(command.name());
			}
			else if (until - System.nanoTime() > pause) {
				this.timer.in(pause, () -> settle(command, lease, until, Math.min(2 * pause, LAST_RETRY_NANOS)));
			}
			else {
				LockBackendException cause = translate(command.name(), failure);
				logger.warn("Lock '%s': the backend did not confirm the end of tenure %s while that mattered: %s (%s)"
					.formatted(OneLine.of(command.name()), command.tenure(), cause.reason(),
							OneLine.of(cause.detail())));
				logger.debug("Why the end of tenure %s was not confirmed".formatted(command.tenure()), failure);
			}
		});
	}

	/** Leave the waiting clients, and hand on what this one was woken for or granted. */
	void passOn(String name, TenureId tenure, Duration lease) {
		release(new Release(name, tenure, Intent.LEAVE, null), lease, (reply, failure) -> {
			if (failure == null) {
				this.onWithdrawn.accept(name);
			}
			else {
				logger.debug("A wake-up for lock '%s' was not handed on; others will check by themselves"
					.formatted(OneLine.of(name)), failure);
			}
		});
	}

	void probe(BiConsumer<@Nullable Map<String, Object>, @Nullable Throwable> then) {
		await(guarded(this.backend::probe), LONGEST_NANOS, then);
	}

	static LockBackendException translate(String name, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
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
	 * Is told the answer to an acquire.
	 */
	interface AcquireCallback {

		/**
		 * The acquire was answered, or failed.
		 * @param start the moment before it was sent, {@code null} if it never was
		 */
		void answered(@Nullable Moment start, LockBackend.@Nullable Acquisition answer, @Nullable Throwable failure);

	}

	/**
	 * Is told each of several replies.
	 */
	interface ReplyCallback<T> {

		void replied(int index, @Nullable T value, @Nullable Throwable failure);

	}

}
