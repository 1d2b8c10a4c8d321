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
 * What the servers' answers to a renewal amount to. A server counts only if it has the
 * lock when it is asked. One that has not gets it back when a majority has confirmed it,
 * and counts from the next renewal on.
 * <p>
 * This is safe, as that is a vote like any other. The server takes the tenure only if it
 * may vote, so that whatever it has forgotten has run out, and only if nobody else has
 * the lock there. From then on it grants the lock to nobody else for a lease, or if it
 * forgets again does not vote for that time. And the majority that has confirmed the
 * tenure is one without this server: putting it back makes no majority, so nothing that
 * was released or lost is revived, however late the command arrives.
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

	/** Completes when a majority agrees, or all have answered. */
	CompletableFuture<RenewalReply> reply() {
		return this.reply;
	}

	/** Send renewals to all servers. */
	static void send(QuorumServers servers, List<QuorumRenewal> renewals) {
		List<Renew> commands = renewals.stream().map((renewal) -> renewal.command).toList();
		for (QuorumServer server : servers.all()) {
			List<CompletableFuture<RenewalReply>> answers = renew(server.node(), commands);
			for (int i = 0; i < answers.size(); i++) {
				renewals.get(i).await(server, answers.get(i));
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

	/** Count a server's answer as soon as it is there. */
	private void await(QuorumServer server, CompletableFuture<RenewalReply> answer) {
		answer.whenComplete((held, thrown) -> {
			if (held == null) {
				LockBackendException failure = TimedCall.translate(this.command.name(), server.node(),
						Objects.requireNonNull(thrown), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.sent));
				server.heard(this.sent, failure);
				conclude(this.majority.failed(), failure);
			}
			else {
				server.heard(this.sent, null);
				if (!held.held()) {
					putBackWhenConfirmed(server);
				}
				conclude(held.held() ? this.majority.yes() : this.majority.no(), null);
			}
		});
		this.reply.whenComplete((held, failure) -> {
			if (this.reply.isCancelled()) {
				answer.cancel(false);
			}
		});
	}

	private void putBackWhenConfirmed(QuorumServer server) {
		this.reply.thenAccept((all) -> {
			if (all.held()) {
				server.putBack(this.command);
			}
		});
	}

	private static String told(@Nullable LockBackendException failure) {
		return (failure != null) ? ": " + failure.detail() : "";
	}

	private void conclude(Majority.Result result, @Nullable LockBackendException failure) {
		switch (result) {
			case OPEN -> {
			}
			case YES -> this.reply.complete(RenewalReply.HELD);
			case NO -> this.reply.complete(RenewalReply.LOST);
			case DIVIDED, UNREACHABLE -> this.reply.completeExceptionally(new LockBackendException(this.command.name(),
					Reason.UNREACHABLE, "too few servers of the quorum confirm the lock" + told(failure), failure));
		}
	}

}
