package io.lockstarter.redis;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * What the servers' answers to a renewal amount to. A server counts only if it has held
 * the lock without a break: a renewal never creates a lock.
 */
final class QuorumRenewal {

	private final String name;

	private final Tally tally;

	private final long sent = System.nanoTime();

	private final CompletableFuture<Verdict> verdict = new CompletableFuture<>();

	QuorumRenewal(String name, int servers) {
		this.name = name;
		this.tally = new Tally(servers);
	}

	/** Completes when a majority agrees, or all have answered. */
	CompletableFuture<Verdict> verdict() {
		return this.verdict;
	}

	/** Count a server's answer as soon as it is there. */
	void await(Member member, CompletableFuture<Verdict> answer) {
		answer.whenComplete((held, thrown) -> {
			if (held == null) {
				LockBackendException failure = Poll.translate(this.name, Objects.requireNonNull(thrown),
						TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.sent));
				member.heard(this.sent, failure);
				conclude(this.tally.failed(), failure);
			}
			else {
				member.heard(this.sent, null);
				conclude(held.held() ? this.tally.yes() : this.tally.no(), null);
			}
		});
		this.verdict.whenComplete((held, failure) -> {
			if (this.verdict.isCancelled()) {
				answer.cancel(false);
			}
		});
	}

	private void conclude(Tally.Result result, @Nullable LockBackendException failure) {
		switch (result) {
			case OPEN -> {
			}
			case YES -> this.verdict.complete(Verdict.HELD);
			case NO -> this.verdict.complete(Verdict.LOST);
			case DIVIDED, UNREACHABLE -> this.verdict.completeExceptionally(new LockBackendException(this.name,
					Reason.UNREACHABLE, "too few servers of the quorum confirm the lock", failure));
		}
	}

}
