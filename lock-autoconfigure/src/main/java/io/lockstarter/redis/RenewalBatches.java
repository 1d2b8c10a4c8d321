package io.lockstarter.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.redis.client.RedisFailure;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.Reply;

/**
 * Renews many locks with one call, where one server has them all.
 */
final class RenewalBatches {

	private static final int RENEWALS_A_CALL = 100;

	private final LockScripts scripts;

	private final ScriptRunner runner;

	private final BooleanSupplier cluster;

	private volatile boolean sharded;

	RenewalBatches(LockScripts scripts, ScriptRunner runner, BooleanSupplier cluster) {
		this.scripts = scripts;
		this.runner = runner;
		this.cluster = cluster;
	}

	List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		int size = (this.cluster.getAsBoolean() || this.sharded) ? 1 : RENEWALS_A_CALL;
		List<CompletableFuture<RenewalReply>> replies = new ArrayList<>(commands.size());
		for (int i = 0; i < commands.size(); i += size) {
			replies.addAll(renewTogether(commands.subList(i, Math.min(i + size, commands.size()))));
		}
		return replies;
	}

	private List<CompletableFuture<RenewalReply>> renewTogether(List<Renew> commands) {
		CompletableFuture<Reply> sent = this.runner.run(commands.get(0).name(), this.scripts.renew(commands),
				Function.identity());
		List<CompletableFuture<RenewalReply>> replies = new ArrayList<>(commands.size());
		for (int i = 0; i < commands.size(); i++) {
			int index = i;
			CompletableFuture<RenewalReply> reply = sent
				.thenApply((all) -> (all.number(index) == 1) ? RenewalReply.HELD : RenewalReply.LOST);
			ScriptRunner.withdrawWith(reply, sent);
			replies.add(reply);
		}
		sent.whenComplete((all, failure) -> {
			if (failure != null && failure.getCause() instanceof RedisFailure refusal && refusal.isOfSeveralServers()) {
				// A proxy in front of several shards: from now on one lock a call.
				this.sharded = true;
			}
		});
		return replies;
	}

}
