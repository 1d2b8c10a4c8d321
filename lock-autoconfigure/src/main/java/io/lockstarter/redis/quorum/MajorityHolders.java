package io.lockstarter.redis.quorum;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.CurrentHolder;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * Holders and waiting requests of a lock, combined from the replies of all servers.
 * <p>
 * Safe for use by multiple threads.
 */
final class MajorityHolders {

	private final int servers;

	/** Replies about each tenure. */
	private final Map<TenureId, List<CurrentHolder>> found = new LinkedHashMap<>();

	private final CompletableFuture<CurrentHolders> holders = new CompletableFuture<>();

	private LockBackend.WaitQueue queue = LockBackend.WaitQueue.EMPTY;

	private int replied;

	private int failed;

	MajorityHolders(int servers) {
		this.servers = servers;
	}

	/**
	 * Returns a future that completes when all servers have replied, and fails if a
	 * majority has failed. Servers that failed count in favour of every holder, so the
	 * result contains all tenures that may have a majority.
	 */
	CompletableFuture<CurrentHolders> holders() {
		return this.holders;
	}

	private static LockBackend.WaitQueue longer(LockBackend.WaitQueue one, LockBackend.WaitQueue other) {
		return (one.requests() >= other.requests()) ? one : other;
	}

	/** Counts the reply or the failure of a server. */
	synchronized void count(@Nullable CurrentHolders seen, @Nullable LockBackendException failure) {
		this.replied++;
		if (seen == null) {
			this.failed++;
		}
		else {
			this.queue = longer(this.queue, seen.queue());
			seen.holders()
				.forEach((holder) -> this.found.computeIfAbsent(holder.tenure(), (tenure) -> new ArrayList<>())
					.add(holder));
		}
		if (this.failed >= Majority.of(this.servers)) {
			this.holders.completeExceptionally(Objects.requireNonNull(failure));
		}
		else if (this.replied == this.servers) {
			this.holders.complete(new CurrentHolders(this.found.values()
				.stream()
				.filter((replies) -> replies.size() + this.failed >= Majority.of(this.servers))
				.map((replies) -> replies.get(0))
				.toList(), this.queue));
		}
	}

}
