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
 * One attempt to get a lock from a majority of servers: proposes a token base, and a
 * higher one where that was too low, until a majority has granted the same.
 * <p>
 * The servers are asked as "Distributed Locks with Redis" in Redis's documentation
 * describes it (Redlock). The proposals answer the criticism that it knows no fencing
 * tokens: whatever majority grants a later tenure, one of its servers has granted this
 * one, and accepts nothing that is not higher.
 */
final class QuorumAttempt {

	private static final int ROUNDS = 4;

	private static final long SHORTEST_TIMEOUT_MILLIS = 50;

	private static final long LONGEST_TIMEOUT_MILLIS = ServerHealth.PATIENCE_MILLIS;

	private final QuorumServers servers;

	private final QuorumSettings settings;

	private final Acquire command;

	private final long start = System.nanoTime();

	private final CompletableFuture<AcquireReply> answer = new CompletableFuture<>();

	private @Nullable Ballot ballot;

	private @Nullable Broadcast broadcast;

	private int round;

	QuorumAttempt(QuorumServers servers, QuorumSettings settings, Acquire command) {
		this.servers = servers;
		this.settings = settings;
		this.command = command;
	}

	/** Begin; cancelling the answer ends the attempt. */
	CompletableFuture<AcquireReply> begin() {
		propose(this.servers.micros());
		this.answer.whenComplete((acquisition, failure) -> {
			if (this.answer.isCancelled()) {
				giveUp();
			}
		});
		return this.answer;
	}

	/** How long to wait for a server: well below what the whole command may take. */
	private long timeoutMillis() {
		return Math.max(SHORTEST_TIMEOUT_MILLIS,
				Math.min(this.command.lease().toMillis() / 12, LONGEST_TIMEOUT_MILLIS));
	}

	private void propose(long base) {
		Ballot next = new Ballot(this.servers.size(), this.servers.silent());
		boolean again;
		synchronized (this) {
			again = this.round++ > 0;
			this.ballot = next;
		}
		Broadcast sent = this.servers.send(this.command.name(), timeoutMillis(),
				(node) -> node.propose(this.command, base, again), (server, vote, failure) -> count(next, server,
						(vote != null) ? vote : new Vote.Failed(Objects.requireNonNull(failure))));
		synchronized (this) {
			if (this.ballot == next) {
				this.broadcast = sent;
			}
		}
	}

	/** The engine waits no longer: those that have not answered count as failed. */
	private void giveUp() {
		Broadcast current;
		synchronized (this) {
			current = this.broadcast;
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
		if (!this.answer.complete(new Granted(grant.base(), grant.contended()))) {
			cancel();
		}
	}

	/**
	 * Propose above whatever was too low, unless a server's clock is so far off that the
	 * others would not accept it.
	 */
	private void proposeAgain(Ballot failed) {
		long now = this.servers.micros();
		long base = Stream
			.concat(failed.votes(Vote.TooLow.class).map(Vote.TooLow::least),
					failed.votes(Vote.Granted.class).map(Vote.Granted::base))
			.mapToLong(Long::longValue)
			.filter((least) -> least <= furthest(now))
			.reduce(now, Math::max);
		if (this.round < ROUNDS && !this.answer.isDone()) {
			propose(base);
		}
		else {
			lost(failed);
		}
	}

	private long furthest(long now) {
		return now + this.settings.reach().toNanos() / 1000;
	}

	private void lost(Ballot failed) {
		long now = this.servers.micros();
		QuorumRefusal refusal = new QuorumRefusal(failed, this.command, System.nanoTime() - this.start);
		try {
			end(refusal.answer(now, furthest(now)));
		}
		catch (LockBackendException ex) {
			cancel();
			this.answer.completeExceptionally(ex);
		}
	}

	private void end(AcquireReply acquisition) {
		cancel();
		this.answer.complete(acquisition);
	}

	/** End the tenure on all servers, also where its acquire may still arrive. */
	private void cancel() {
		this.servers.send(this.command.name(), LONGEST_TIMEOUT_MILLIS,
				(node) -> node.cancel(this.command.name(), this.command.tenure()), (server, reply, failure) -> {
					if (failure != null) {
						this.servers.get(server).owe(this.command.name(), this.command.tenure(), this.command.lease());
					}
				});
	}

}
