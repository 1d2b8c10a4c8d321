package io.lockstarter.redis.quorum;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Findings of a probe of all servers.
 * <p>
 * Safe for use by multiple threads.
 */
final class QuorumProbe {

	private final int servers;

	private final List<QuorumNode.Findings> findings = new ArrayList<>();

	private final CompletableFuture<Map<String, Object>> details = new CompletableFuture<>();

	private @Nullable LockBackendException failed;

	private int replies;

	QuorumProbe(int servers) {
		this.servers = servers;
	}

	/**
	 * Returns a future that completes when all servers have replied, and fails if too few
	 * vote.
	 */
	CompletableFuture<Map<String, Object>> details() {
		return this.details;
	}

	synchronized void count(QuorumNode.@Nullable Findings found, @Nullable LockBackendException failure) {
		if (found != null) {
			this.findings.add(found);
		}
		else {
			this.failed = failure;
		}
		if (++this.replies == this.servers) {
			conclude();
		}
	}

	private void conclude() {
		long voting = this.findings.stream().filter(QuorumNode.Findings::votes).count();
		if (isMajority(voting)) {
			this.details.complete(describe(voting));
			return;
		}
		Reason reason = (this.failed != null) ? this.failed.reason() : Reason.LOADING;
		this.details.completeExceptionally(new LockBackendException(LockBackendException.NO_LOCK, reason,
				String.format(Locale.ROOT, "%d of the %d servers of the quorum reply, and %d vote",
						this.findings.size(), this.servers, voting),
				this.failed));
	}

	private Map<String, Object> describe(long voting) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("servers", this.servers);
		details.put("answering", this.findings.size());
		details.put("voting", voting);
		details.put("subscribed", subscriptions("up"));
		details.put("subscription", subscription());
		details.put("messages", messages());
		return details;
	}

	private String subscription() {
		if (isMajority(subscriptions("up"))) {
			return "up";
		}
		return (subscriptions("down") > 0) ? "down" : "not needed yet";
	}

	/** Returns the refusal of the first server that refuses messages. */
	private String messages() {
		return this.findings.stream()
			.map(QuorumNode.Findings::messages)
			.filter((messages) -> !messages.equals("allowed"))
			.findFirst()
			.orElse("allowed");
	}

	private long subscriptions(String state) {
		return this.findings.stream().filter((found) -> found.subscription().equals(state)).count();
	}

	private boolean isMajority(long count) {
		return count >= Majority.of(this.servers);
	}

}
