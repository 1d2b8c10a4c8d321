package io.lockstarter.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * One command with its retries.
 *
 * @param <R> the type of the reply
 * @param <T> the type of the result
 */
final class RetryingCommand<R, T> {

	/** Pause before the first retry: 10 ms. Each further pause is twice as long. */
	private static final long FIRST_PAUSE_MILLIS = 10;

	/** Maximum pause between two retries: 40 ms. */
	private static final long MAX_PAUSE_MILLIS = 40;

	/**
	 * Maximum number of retries by a client of a single server that turns out to be a
	 * cluster node and does not serve the slot.
	 */
	private static final int MAX_REFUSALS = 5;

	/** Maximum number of retries after a server that is not a master. */
	private static final int MAX_MOVES = 10;

	private final RedisClient client;

	private final Attempt<R> attempt;

	private final Function<R, T> parser;

	private final Function<Throwable, ? extends Throwable> translator;

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private volatile @Nullable CompletableFuture<R> sent;

	private boolean byDigest = true;

	private long pauseMillis = FIRST_PAUSE_MILLIS;

	private boolean replyLost;

	private int moves;

	private int refusals;

	/**
	 * Creates a command without sending it.
	 * @param parser parses the reply
	 * @param translator translates the final failure
	 */
	RetryingCommand(RedisClient client, Attempt<R> attempt, Function<R, T> parser,
			Function<Throwable, ? extends Throwable> translator) {
		this.client = client;
		this.attempt = attempt;
		this.parser = parser;
		this.translator = translator;
	}

	/**
	 * Sends the command, and retries it until it gets a reply, fails permanently, or the
	 * returned future is cancelled.
	 */
	CompletableFuture<T> send() {
		this.result.whenComplete((value, failure) -> {
			if (this.result.isCancelled()) {
				withdraw();
			}
		});
		sendOnce();
		return this.result;
	}

	private void sendOnce() {
		if (this.result.isDone()) {
			return;
		}
		CompletableFuture<R> current = attempt();
		this.sent = current;
		current.whenComplete((value, failure) -> {
			if (failure != null) {
				retryOrFail(current, failure);
			}
			else {
				complete(value);
			}
		});
		if (this.result.isCancelled()) {
			current.cancel(false);
		}
	}

	private void complete(R reply) {
		try {
			this.result.complete(this.parser.apply(reply));
		}
		catch (Throwable ex) {
			this.result.completeExceptionally(ex);
		}
	}

	private CompletableFuture<R> attempt() {
		try {
			return this.attempt.send(this.byDigest, this.replyLost);
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			// Some of Lettuce's writers throw instead of failing the future.
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void withdraw() {
		CompletableFuture<R> current = this.sent;
		if (current != null) {
			current.cancel(false);
		}
		this.client.refreshTopology();
	}

	private void retryOrFail(CompletableFuture<R> command, Throwable failure) {
		try {
			handleFailure(command, failure);
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	private void handleFailure(CompletableFuture<R> command, Throwable failure) {
		if (this.result.isDone()) {
			return;
		}
		RedisFailure cause = this.client.explain(failure);
		this.replyLost |= cause.kind() == RedisFailure.Kind.LOST || cause.isDemotion()
				|| (command instanceof RedisClient.Repeatable known && known.wasRepeated());
		if (this.byDigest && cause.hasCode("NOSCRIPT")) {
			this.byDigest = false;
			sendOnce();
		}
		else if (isTransient(cause)) {
			this.client.refreshTopology();
			sendLater();
		}
		else if (cause.isFromNonMaster() && this.moves++ < MAX_MOVES) {
			this.client.refreshTopology();
			this.client.dropDemotedMaster().thenAccept((found) -> {
				if (found) {
					sendLater();
				}
				else {
					giveUp(cause);
				}
			});
		}
		else {
			if (cause.kind() == RedisFailure.Kind.TIMEOUT || cause.kind() == RedisFailure.Kind.DISCONNECTED) {
				// The node may be down or hang, and another node may take over its slots.
				this.client.refreshTopology();
			}
			giveUp(cause);
		}
	}

	private void sendLater() {
		long pause = this.pauseMillis;
		this.pauseMillis = Math.min(2 * pause, MAX_PAUSE_MILLIS);
		// RetryingCommand never blocks, so it can run on the timer's thread.
		CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, Runnable::run).execute(this::sendOnce);
	}

	private void giveUp(RedisFailure cause) {
		fail(this.replyLost ? cause.ofRepeated() : cause);
	}

	private void fail(Throwable failure) {
		this.result.completeExceptionally(this.translator.apply(failure));
	}

	/**
	 * Returns whether the failure is likely to disappear by itself, usually within a
	 * second. A client that is not configured for a cluster cannot follow redirections,
	 * and gives up soon.
	 */
	private boolean isTransient(RedisFailure cause) {
		if (cause.kind() == RedisFailure.Kind.LOST) {
			return true;
		}
		if (this.client.isCluster()) {
			return cause.hasCode("TRYAGAIN", "CLUSTERDOWN", "MOVED", "ASK");
		}
		return cause.hasCode("TRYAGAIN", "CLUSTERDOWN") && this.refusals++ < MAX_REFUSALS;
	}

}
