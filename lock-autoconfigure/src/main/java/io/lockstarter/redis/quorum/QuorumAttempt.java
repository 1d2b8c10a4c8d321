package io.lockstarter.redis.quorum;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.AlreadyEnded;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.redis.quorum.Ballot.Decision;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lock from a majority of servers. It proposes a token base, and
 * a higher base if the first one is too low, until a majority has granted the same base.
 * <p>
 * The algorithm is Redlock, as described in "Distributed Locks with Redis" in the
 * documentation of Redis. Proposals add the fencing tokens that Redlock lacks: every
 * majority that grants a later tenure contains a server that has granted this one, and
 * that server accepts only a higher base.
 * <p>
 * Safe for use by multiple threads.
 */
final class QuorumAttempt {

	/** Maximum number of proposals. */
	private static final int MAX_ROUNDS = 4;

	/** Minimum timeout of a server: 50 ms. */
	private static final long MIN_TIMEOUT_MILLIS = 50;

	private final QuorumServers servers;

	private final QuorumSettings settings;

	private final Acquire command;

	private final long start = System.nanoTime();

	private final CompletableFuture<AcquireReply> reply = new CompletableFuture<>();

	private @Nullable Ballot ballot;

	private @Nullable QuorumCall call;

	private int round;

	QuorumAttempt(QuorumServers servers, QuorumSettings settings, Acquire command) {
		this.servers = servers;
		this.settings = settings;
		this.command = command;
	}

	/** Begins the attempt. Cancelling the future ends the attempt. */
	CompletableFuture<AcquireReply> begin() {
		propose(this.servers.micros());
		this.reply.whenComplete((acquisition, failure) -> {
			if (this.reply.isCancelled()) {
				giveUp();
			}
		});
		return this.reply;
	}

	/**
	 * Returns the timeout of a server, which is well below the timeout of the whole
	 * command.
	 */
	private long timeoutMillis() {
		return Math.max(MIN_TIMEOUT_MILLIS,
				Math.min(this.command.lease().toMillis() / 12, ServerHealth.TIMEOUT_MILLIS));
	}

	private void propose(long base) {
		Ballot next = new Ballot(this.servers.size(), this.servers.unresponsive());
		boolean again;
		synchronized (this) {
			again = this.round++ > 0;
			this.ballot = next;
		}
		QuorumCall sent = this.servers.send(this.command.name(), timeoutMillis(),
				(node) -> node.propose(this.command, base, again), (server, vote, failure) -> count(next, server,
						(vote != null) ? vote : new Vote.Failed(Objects.requireNonNull(failure))));
		synchronized (this) {
			if (this.ballot == next) {
				this.call = sent;
			}
		}
	}

	/**
	 * Stops waiting for the servers that have not replied, which then count as failed.
	 */
	private void giveUp() {
		QuorumCall current;
		synchronized (this) {
			current = this.call;
		}
		if (current != null) {
			current.giveUp();
		}
	}

	private void count(Ballot counted, int server, Vote vote) {
		Decision decision;
		synchronized (this) {
			if (this.ballot != counted) {
				return;
			}
			decision = counted.count(server, vote);
			if (decision != Decision.OPEN) {
				this.ballot = null;
			}
		}
		switch (decision) {
			case OPEN -> {
			}
			case ELECTED -> elected(Objects.requireNonNull(counted.elected()));
			case PROPOSE_AGAIN -> proposeAgain(counted);
			case ENDED -> end(new AlreadyEnded());
			case LOST -> lost(counted);
		}
	}

	private void elected(Vote.Granted grant) {
		if (!this.reply.complete(new Granted(grant.base(), grant.contended()))) {
			cancel();
		}
	}

	/**
	 * Proposes a base that is higher than every rejected one, except one from a server
	 * whose clock is so far ahead that the other servers would reject the base.
	 */
	private void proposeAgain(Ballot failed) {
		long now = this.servers.micros();
		long base = Stream
			.concat(failed.votes(Vote.TooLow.class).map(Vote.TooLow::least),
					failed.votes(Vote.Granted.class).map(Vote.Granted::base))
			.mapToLong(Long::longValue)
			.filter((least) -> least <= highest(now))
			.reduce(now, Math::max);
		if (this.round < MAX_ROUNDS && !this.reply.isDone()) {
			propose(base);
		}
		else {
			lost(failed);
		}
	}

	private long highest(long now) {
		return now + this.settings.maxClockDifference().toNanos() / 1000;
	}

	private void lost(Ballot failed) {
		long now = this.servers.micros();
		QuorumRefusal refusal = new QuorumRefusal(failed, this.command, System.nanoTime() - this.start);
		try {
			end(refusal.reply(now, highest(now)));
		}
		catch (LockBackendException ex) {
			cancel();
			this.reply.completeExceptionally(ex);
		}
	}

	private void end(AcquireReply acquisition) {
		cancel();
		this.reply.complete(acquisition);
	}

	/**
	 * Ends the tenure on all servers, including those at which its acquire may still
	 * arrive.
	 */
	private void cancel() {
		this.servers.send(this.command.name(), (node) -> node.cancel(this.command.name(), this.command.tenure()),
				(server, reply, failure) -> {
					if (failure != null) {
						this.servers.get(server)
							.cancelUntilConfirmed(this.command.name(), this.command.tenure(), this.command.lease());
					}
				});
	}

}
