package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.Replies;
import io.lockstarter.redis.script.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Sender of renewals, which sends those of many locks in one call if one server has all
 * of the locks.
 */
final class RenewalSender {

	/** Maximum number of renewals in one call. */
	private static final int MAX_RENEWALS_PER_CALL = 100;

	private final LockScripts scripts;

	private final CommandSender redis;

	private final BooleanSupplier cluster;

	private volatile boolean sharded;

	RenewalSender(LockScripts scripts, CommandSender redis, BooleanSupplier cluster) {
		this.scripts = scripts;
		this.redis = redis;
		this.cluster = cluster;
	}

	List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		int limit = (this.cluster.getAsBoolean() || this.sharded) ? 1 : MAX_RENEWALS_PER_CALL;
		List<CompletableFuture<RenewalReply>> replies = new ArrayList<>(commands.size());
		Map<Kind, Batch> open = new HashMap<>();
		for (Renew command : commands) {
			Kind kind = new Kind(command.tenure().client(), command.holds(), command.lease());
			Batch batch = open.computeIfAbsent(kind, (first) -> new Batch());
			replies.add(batch.add(command));
			if (batch.size() == limit) {
				open.remove(kind);
				send(batch);
			}
		}
		open.values().forEach(this::send);
		return replies;
	}

	private void send(Batch batch) {
		CompletableFuture<List<RenewalReply>> sent = this.redis.run(batch.commands.get(0).name(),
				this.scripts.renew(batch.commands), batch::parse);
		sent.whenComplete((all, failure) -> {
			if (RedisErrors.isCrossSlot(failure)) {
				// A proxy in front of several shards: renew one lock per call from now
				// on.
				this.sharded = true;
			}
			batch.complete(all, failure);
		});
		CompletableFuture<RenewalReply> first = batch.replies.get(0);
		first.whenComplete((reply, failure) -> {
			if (first.isCancelled()) {
				// All renewals of a call are withdrawn together.
				sent.cancel(false);
			}
		});
	}

	/**
	 * Common properties of the renewals in one call.
	 */
	private record Kind(String client, int holds, Duration lease) {
	}

	/**
	 * Renewals in one call, with their replies.
	 */
	private static final class Batch {

		private final List<Renew> commands = new ArrayList<>();

		private final List<CompletableFuture<RenewalReply>> replies = new ArrayList<>();

		CompletableFuture<RenewalReply> add(Renew command) {
			CompletableFuture<RenewalReply> reply = new CompletableFuture<>();
			this.commands.add(command);
			this.replies.add(reply);
			return reply;
		}

		int size() {
			return this.commands.size();
		}

		List<RenewalReply> parse(Reply reply) {
			return IntStream.range(0, size()).mapToObj((i) -> Replies.renewal(reply, i)).toList();
		}

		void complete(@Nullable List<RenewalReply> all, @Nullable Throwable failure) {
			for (int i = 0; i < size(); i++) {
				if (all != null) {
					this.replies.get(i).complete(all.get(i));
				}
				else {
					this.replies.get(i).completeExceptionally(Objects.requireNonNull(failure));
				}
			}
		}

	}

}
