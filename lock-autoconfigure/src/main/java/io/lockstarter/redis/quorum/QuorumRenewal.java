package io.lockstarter.redis.quorum;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import org.jspecify.annotations.Nullable;

/**
 * Combined reply of all servers to a renewal. A server counts only if it has the tenure
 * when the renewal arrives. On a server without the tenure it is restored after a
 * majority has confirmed it, and the server counts from the next renewal on.
 * <p>
 * Restoring a tenure is safe, because it is a vote like any other:
 * <ul>
 * <li>The server accepts the tenure only if it may vote, so all locks that it may have
 * lost have expired, and only if no other tenure holds the lock on that server.</li>
 * <li>From then on the server grants the lock to no other tenure for a lease, and if it
 * loses its data again, it does not vote for that time.</li>
 * <li>The majority that has confirmed the tenure does not include this server. So
 * restoring the tenure creates no majority, and revives no released or lost tenure,
 * however late the command arrives.</li>
 * </ul>
 */
final class QuorumRenewal {

	private final Renew command;

	private final Majority majority;

	private final long sent = System.nanoTime();

	private final CompletableFuture<RenewalReply> reply = new CompletableFuture<>();

	QuorumRenewal(Renew command, int servers) {
		this.command = command;
		this.majority = new Majority(servers);
	}

	/**
	 * Returns a future that completes when a majority agrees or all servers have replied.
	 */
	CompletableFuture<RenewalReply> reply() {
		return this.reply;
	}

	/** Sends renewals to all servers. */
	static void send(QuorumServers servers, List<QuorumRenewal> renewals) {
		List<Renew> commands = renewals.stream().map((renewal) -> renewal.command).toList();
		for (QuorumServer server : servers.all()) {
			List<CompletableFuture<RenewalReply>> replies = renew(server.node(), commands);
			for (int i = 0; i < replies.size(); i++) {
				renewals.get(i).await(server, replies.get(i));
			}
		}
	}

	private static List<CompletableFuture<RenewalReply>> renew(QuorumNode node, List<Renew> commands) {
		try {
			return node.renew(commands);
		}
		catch (Throwable ex) {
			return Collections.nCopies(commands.size(), CompletableFuture.failedFuture(ex));
		}
	}

	/** Counts the reply of a server as soon as it arrives. */
	private void await(QuorumServer server, CompletableFuture<RenewalReply> received) {
		received.whenComplete((held, thrown) -> {
			if (held == null) {
				LockBackendException failure = TimedCall.translate(this.command.name(), server.node(),
						Objects.requireNonNull(thrown), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.sent));
				server.replied(this.sent, failure);
				conclude(this.majority.failed(), failure);
			}
			else {
				server.replied(this.sent, null);
				if (!held.held()) {
					restoreWhenConfirmed(server);
				}
				conclude(held.held() ? this.majority.yes() : this.majority.no(), null);
			}
		});
		this.reply.whenComplete((held, failure) -> {
			if (this.reply.isCancelled()) {
				received.cancel(false);
			}
		});
	}

	private void restoreWhenConfirmed(QuorumServer server) {
		this.reply.thenAccept((all) -> {
			if (all.held()) {
				server.restore(this.command);
			}
		});
	}

	private static String describe(@Nullable LockBackendException failure) {
		return (failure != null) ? ": " + failure.detail() : "";
	}

	private void conclude(Majority.Result result, @Nullable LockBackendException failure) {
		switch (result) {
			case OPEN -> {
			}
			case YES -> this.reply.complete(RenewalReply.HELD);
			case NO -> this.reply.complete(RenewalReply.LOST);
			case DIVIDED, UNREACHABLE -> this.reply.completeExceptionally(new LockBackendException(this.command.name(),
					Reason.UNREACHABLE, "too few servers of the quorum confirm the lock" + describe(failure), failure));
		}
	}

}
