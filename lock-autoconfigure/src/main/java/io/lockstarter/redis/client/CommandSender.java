package io.lockstarter.redis.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Sends commands, and sends them again for as long as somebody waits for the reply:
 * without the digest if Redis does not know the script, and a moment later when the
 * connection broke or while a cluster moves the slot or its master. All commands are
 * idempotent, so it does not matter how often one arrives.
 */
public final class CommandSender implements AutoCloseable {

	private static final long FIRST_PAUSE_MILLIS = 10;

	private static final long LAST_PAUSE_MILLIS = 40;

	/** For how many servers, one after the other, that turn out to be no master. */
	private static final int MOST_MOVES = 10;

	private final RedisClient client;

	/** Send commands with a client library. */
	public CommandSender(RedisClient client) {
		this.client = client;
	}

	/** Completes when commands can be sent, at once if they can be already. */
	public CompletableFuture<?> connect() {
		return this.client.connect().handle((connection, failure) -> {
			if (failure != null) {
				throw this.client.explain(failure);
			}
			return connection;
		});
	}

	public boolean isCluster() {
		return this.client.isCluster();
	}

	/** Before a subscription is closed that leads elsewhere, or nowhere. */
	public void hangUp(RedisConnection subscription) {
		this.client.hangUp(subscription);
	}

	public boolean leavesSilence() {
		return this.client.leavesSilence();
	}

	/** A slot of each node of a cluster; slot 0 alone where there is no cluster. */
	public CompletableFuture<List<Integer>> slots() {
		return this.client.slots();
	}

	public CompletableFuture<List<Object>> run(ScriptCall call) {
		return run((byDigest) -> this.client.call(call, byDigest));
	}

	/**
	 * Run a script that is short and rare, and not sent twice to be known by its digest.
	 */
	public CompletableFuture<List<Object>> runText(ScriptCall call) {
		return run((byDigest) -> this.client.call(call, false));
	}

	/** Send a command in another way than the client does by itself. */
	public <T> CompletableFuture<T> run(Attempt<T> attempt) {
		return new Sending<>(attempt).send();
	}

	/** Tell what became of a command that failed. */
	public RedisFailure explain(Throwable failure) {
		return this.client.explain(failure);
	}

	/** Whether all connections have been closed, subscriptions as well. */
	public boolean isStopped() {
		return this.client.isStopped();
	}

	@Override
	public void close() {
		this.client.close();
	}

	/**
	 * Sends a command once.
	 *
	 * @param <T> what it is answered
	 */
	@FunctionalInterface
	public interface Attempt<T> {

		/**
		 * Send it.
		 * @param byDigest whether a script's digest may be sent instead of its text
		 */
		CompletableFuture<T> send(boolean byDigest);

	}

	/**
	 * One command on its way, however often it is sent.
	 */
	private final class Sending<T> {

		private final Attempt<T> attempt;

		private final CompletableFuture<T> reply = new CompletableFuture<>();

		private volatile @Nullable CompletableFuture<T> sent;

		private boolean byDigest = true;

		private long pauseMillis = FIRST_PAUSE_MILLIS;

		private boolean replyLost;

		private int moves;

		Sending(Attempt<T> attempt) {
			this.attempt = attempt;
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
					failed(current, failure);
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
				return this.attempt.send(this.byDigest);
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
			CommandSender.this.client.checkConnection();
		}

		private void failed(CompletableFuture<T> command, Throwable failure) {
			if (this.reply.isDone()) {
				return;
			}
			RedisFailure cause = CommandSender.this.client.explain(failure);
			this.replyLost |= cause.kind() == RedisFailure.Kind.LOST || cause.isOfDemotion()
					|| (command instanceof RedisClient.Repeatable known && known.wasRepeated());
			if (this.byDigest && cause.hasCode("NOSCRIPT")) {
				this.byDigest = false;
				sendOnce();
			}
			else if (passes(cause)) {
				CommandSender.this.client.checkConnection();
				sendLater();
			}
			else if (cause.isOfNoMaster() && this.moves++ < MOST_MOVES) {
				CommandSender.this.client.checkConnection();
				CommandSender.this.client.leaveFormerMaster().thenAccept((found) -> {
					if (found) {
						sendLater();
					}
					else {
						giveUp(cause);
					}
				});
			}
			else {
				if (cause.kind() == RedisFailure.Kind.TIMEOUT) {
					// The connection leads nowhere.
					CommandSender.this.client.checkConnection();
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
			this.reply.completeExceptionally(this.replyLost ? cause.ofRepeated() : cause);
		}

		/** Whether the failure passes by itself, mostly within a second. */
		private static boolean passes(RedisFailure cause) {
			return cause.kind() == RedisFailure.Kind.LOST || cause.hasCode("TRYAGAIN", "CLUSTERDOWN", "MOVED", "ASK");
		}

	}

}
