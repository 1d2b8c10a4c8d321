package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls all instances while somebody wants to know how they are, and answers when another
 * one calls, to which it also tells when it leaves. While nobody calls, it sends nothing.
 */
final class RollCall {

	private static final LockLog logger = LockLog.of(RollCall.class);

	private static final long PERIOD_NANOS = Duration.ofSeconds(2).toNanos();

	/**
	 * Whoever was heard before nobody looked may have ended meanwhile. Whoever has not
	 * called for so long does not look any more.
	 */
	private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long KEPT_NANOS = Duration.ofMinutes(5).toNanos();

	/** Without an answer to so many calls, of which the last was sent just now. */
	private static final int SILENT = 3;

	private static final int MOST = 1000;

	private static final String CALL = "call ";

	private static final String REPORT = "report ";

	/** The id in a report follows. Versions without this message pass over it. */
	private static final String LEFT = "left ";

	private final LockBackend backend;

	private final Supplier<InstanceReport> own;

	private final Executor answering;

	private final LongSupplier nanoTime;

	private final JsonMapper mapper = JsonMapper.shared();

	private final Map<String, Heard> heard = new HashMap<>();

	/** When others called last, by the ids of their clients. */
	private final Map<String, Long> callers = new HashMap<>();

	private volatile boolean away;

	private long calledAt;

	private @Nullable String refusal;

	/**
	 * Answer from now on whoever calls.
	 * @param backend passes the messages on
	 * @param own what to answer
	 * @param answering answers, one call after the other
	 */
	RollCall(LockBackend backend, Supplier<InstanceReport> own, Executor answering, LongSupplier nanoTime) {
		this.backend = backend;
		this.own = own;
		this.answering = answering;
		this.nanoTime = nanoTime;
		this.calledAt = nanoTime.getAsLong() - PAUSE_NANOS;
		backend.messages().listen(this::received);
	}

	/** Call again if the last call is not from just now, and tell what is known. */
	Roll call() {
		InstanceReport report = this.own.get();
		if (isDue()) {
			this.backend.messages()
				.broadcast(CALL + this.backend.clientId())
				.whenComplete((sent, failure) -> called(failure));
		}
		return roll(report);
	}

	/** Answer again after having left. */
	void comeBack() {
		this.away = false;
	}

	/**
	 * Tell those who have called lately that this instance leaves, and answer nobody from
	 * then on.
	 * @return completes when they are told, or cannot be
	 */
	CompletableFuture<?> leave() {
		// After the answers that are due, so that none of them comes after it
		return CompletableFuture.supplyAsync(this::sayGoodbye, this.answering).thenCompose((sent) -> sent);
	}

	private CompletableFuture<?> sayGoodbye() {
		this.away = true;
		List<String> listening = recentCallers();
		if (listening.isEmpty()) {
			return CompletableFuture.completedFuture(null);
		}
		String message = LEFT + this.own.get().id();
		return CompletableFuture
			.allOf(listening.stream().map((caller) -> send(caller, message)).toArray(CompletableFuture[]::new));
	}

	private synchronized List<String> recentCallers() {
		long now = this.nanoTime.getAsLong();
		this.callers.values().removeIf((calledAt) -> now - calledAt >= PAUSE_NANOS);
		return List.copyOf(this.callers.keySet());
	}

	private synchronized boolean isDue() {
		long now = this.nanoTime.getAsLong();
		if (now - this.calledAt >= PAUSE_NANOS) {
			this.heard.clear();
		}
		if (now - this.calledAt < PERIOD_NANOS) {
			return false;
		}
		this.calledAt = now;
		return true;
	}

	private synchronized void called(@Nullable Throwable failure) {
		this.refusal = (failure != null) ? String.valueOf(failure.getMessage()) : null;
		if (failure == null) {
			this.heard.replaceAll((id, instance) -> instance.calledAgain());
		}
	}

	private synchronized Roll roll(InstanceReport report) {
		long now = this.nanoTime.getAsLong();
		this.heard.values().removeIf((instance) -> now - instance.at() > KEPT_NANOS);
		List<Answer> answers = new ArrayList<>();
		answers.add(new Answer(report, true, 0, false));
		this.heard.values().forEach((instance) -> answers.add(instance.answer(now)));
		answers.sort(Comparator.comparing((Answer answer) -> answer.report().instance())
			.thenComparing((answer) -> answer.report().id()));
		return new Roll(answers, this.refusal);
	}

	/** A message has come, perhaps one that was meant for others. */
	private void received(String message) {
		if (message.startsWith(CALL)) {
			String caller = message.substring(CALL.length());
			if (!caller.equals(this.backend.clientId())) {
				remember(caller);
				this.answering.execute(() -> answer(caller));
			}
		}
		else if (message.startsWith(REPORT)) {
			hear(message.substring(REPORT.length()));
		}
		else if (message.startsWith(LEFT)) {
			forget(message.substring(LEFT.length()));
		}
	}

	private synchronized void remember(String caller) {
		if (this.callers.size() >= MOST) {
			recentCallers();
		}
		if (this.callers.size() < MOST || this.callers.containsKey(caller)) {
			this.callers.put(caller, this.nanoTime.getAsLong());
		}
	}

	private void answer(String caller) {
		if (!this.away) {
			send(caller, REPORT + this.mapper.writeValueAsString(this.own.get()));
		}
	}

	private CompletableFuture<?> send(String caller, String message) {
		return this.backend.messages().send(caller, message).handle((sent, failure) -> {
			if (failure != null) {
				logger.debug("A message to an instance that called was not sent", failure);
			}
			return null;
		});
	}

	private void hear(String json) {
		try {
			keep(this.mapper.readValue(json, InstanceReport.class));
		}
		catch (JacksonException ex) {
			logger.debug("Not what an instance of this version tells of itself", ex);
		}
	}

	/** Whoever has left in order need not be looked for. */
	private synchronized void forget(String id) {
		this.heard.remove(id);
	}

	private synchronized void keep(InstanceReport report) {
		if (this.heard.size() < MOST || this.heard.containsKey(report.id())) {
			this.heard.put(report.id(), new Heard(report, this.nanoTime.getAsLong(), 0));
		}
	}

	/**
	 * The instances.
	 *
	 * @param instances those that are known, this one as well, by name
	 * @param refusal why others cannot be called, or {@code null} if they can
	 */
	record Roll(List<Answer> instances, @Nullable String refusal) {

		/** An instance that knows of no way to call others. */
		static Roll of(InstanceReport own) {
			return new Roll(List.of(new Answer(own, true, 0, false)), "the backend of its locks is no bean");
		}

		/**
		 * Put other names in place of those of locks.
		 * @param names makes a name of a group and a name
		 */
		Roll named(BinaryOperator<String> names) {
			return new Roll(this.instances.stream().map((answer) -> answer.named(names)).toList(), this.refusal);
		}

	}

	/**
	 * An instance that has answered.
	 *
	 * @param report what it said
	 * @param own whether it is this one
	 * @param heardMillis how long ago it said so
	 * @param silent whether it should have answered again since
	 */
	record Answer(InstanceReport report, boolean own, long heardMillis, boolean silent) {

		private Answer named(BinaryOperator<String> names) {
			return new Answer(this.report.named(names), this.own, this.heardMillis, this.silent);
		}

	}

	/**
	 * What was heard of an instance.
	 *
	 * @param report what it said
	 * @param at when that came
	 * @param unanswered how often it was called since
	 */
	private record Heard(InstanceReport report, long at, int unanswered) {

		private Heard calledAgain() {
			return new Heard(this.report, this.at, this.unanswered + 1);
		}

		private Answer answer(long now) {
			return new Answer(this.report, false, Duration.ofNanos(now - this.at).toMillis(),
					this.unanswered >= SILENT);
		}

	}

}
