package io.lockstarter.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * One command on its way, however often it is sent.
 *
 * @param <T> what it is answered
 */
final class Sending<T> {

	private static final long FIRST_PAUSE_MILLIS = 10;

	private static final long LAST_PAUSE_MILLIS = 40;

	/** How often a client of one server asks a cluster that does not serve the slot. */
	private static final int MOST_REFUSALS = 5;

	/** For how many servers, one after the other, that turn out to be no master. */
	private static final int MOST_MOVES = 10;

	private final RedisClient client;

	private final Attempt<T> attempt;

	private final UnaryOperator<RedisFailure> account;

	private final CompletableFuture<T> reply = new CompletableFuture<>();

	private volatile @Nullable CompletableFuture<T> sent;

	private boolean byDigest = true;

	private long pauseMillis = FIRST_PAUSE_MILLIS;

	private boolean replyLost;

	private int moves;

	private int refusals;

	/**
	 * Begin with a command.
	 * @param account completes what is told of its failure
	 */
	Sending(RedisClient client, Attempt<T> attempt, UnaryOperator<RedisFailure> account) {
		this.client = client;
		this.attempt = attempt;
		this.account = account;
	}

	CompletableFuture<T> send() {
		this.reply.whenComplete((value, failure) -> {
			if (this.reply.isCancelled()) {
				withdraw();
			}
		});
		sendOnce();
		return this.reply;
	}

	private void sendOnce() {
		if (this.reply.isDone()) {
			return;
		}
		CompletableFuture<T> current = attempt();
		this.sent = current;
		current.whenComplete((value, failure) -> {
			if (failure != null) {
				failedOrGivenUp(current, failure);
			}
			else {
				this.reply.complete(value);
			}
		});
		if (this.reply.isCancelled()) {
			current.cancel(false);
		}
	}

	private CompletableFuture<T> attempt() {
		try {
			return this.attempt.send(this.byDigest, this.replyLost);
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			// Some of Lettuce's writers throw where others complete the future.
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void withdraw() {
		CompletableFuture<T> current = this.sent;
		if (current != null) {
			current.cancel(false);
		}
		this.client.checkConnection();
	}

	private void failedOrGivenUp(CompletableFuture<T> command, Throwable failure) {
		try {
			failed(command, failure);
		}
		catch (Throwable ex) {
			this.reply.completeExceptionally(ex);
		}
	}

	private void failed(CompletableFuture<T> command, Throwable failure) {
		if (this.reply.isDone()) {
			return;
		}
		RedisFailure cause = this.client.explain(failure);
		this.replyLost |= cause.kind() == RedisFailure.Kind.LOST || cause.isOfDemotion()
				|| (command instanceof RedisClient.Repeatable known && known.wasRepeated());
		if (this.byDigest && cause.hasCode("NOSCRIPT")) {
			this.byDigest = false;
			sendOnce();
		}
		else if (passes(cause)) {
			this.client.checkConnection();
			sendLater();
		}
		else if (cause.isOfNoMaster() && this.moves++ < MOST_MOVES) {
			this.client.checkConnection();
			this.client.leaveFormerMaster().thenAccept((found) -> {
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
				// The connection leads nowhere.
				this.client.checkConnection();
			}
			giveUp(cause);
		}
	}

	private void sendLater() {
		long pause = this.pauseMillis;
		this.pauseMillis = Math.min(2 * pause, LAST_PAUSE_MILLIS);
		// Nothing blocks, so that the timer's own thread will do.
		CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, Runnable::run).execute(this::sendOnce);
	}

	private void giveUp(RedisFailure cause) {
		RedisFailure told = this.account.apply(cause);
		this.reply.completeExceptionally(this.replyLost ? told.ofRepeated() : told);
	}

	/**
	 * Whether the failure passes by itself, mostly within a second. A client that knows
	 * of no cluster is sent elsewhere in vain, and is told soon what a cluster refuses.
	 */
	private boolean passes(RedisFailure cause) {
		if (cause.kind() == RedisFailure.Kind.LOST || cause.kind() == RedisFailure.Kind.RECONNECTING) {
			return true;
		}
		if (this.client.isCluster()) {
			return cause.hasCode("TRYAGAIN", "CLUSTERDOWN", "MOVED", "ASK");
		}
		return cause.hasCode("TRYAGAIN", "CLUSTERDOWN") && this.refusals++ < MOST_REFUSALS;
	}

}
