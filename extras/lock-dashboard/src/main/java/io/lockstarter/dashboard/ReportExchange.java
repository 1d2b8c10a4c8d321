package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Reports that instances send one another while somebody looks at a page. The instances
 * whose pages are looked at send theirs to all, every two seconds; that also asks the
 * others, who reply. While nobody looks, nothing is sent.
 */
final class ReportExchange {

	/** How often an instance whose page is looked at sends its report. */
	static final Duration PERIOD = Duration.ofSeconds(2);

	private static final LockLog logger = LockLog.of(ReportExchange.class);

	/** An instance that has sent a report just now does not send it again. */
	private static final long REPLY_PAUSE_NANOS = Duration.ofMillis(700).toNanos();

	/**
	 * Longer than between two reports of an instance that replies to each request but one
	 * that came within its pause.
	 */
	static final Duration SILENCE = Duration.ofMillis(2800);

	/** How long a reply takes at most, on a busy machine. */
	private static final long REPLY_NANOS = Duration.ofMillis(800).toNanos();

	private static final long DEAF_NANOS = Duration.ofMillis(2500).toNanos();

	/** What was heard longer ago, while nobody looked, says nothing about now. */
	private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

	/** For how long an instance is shown that has fallen silent. */
	private static final long SILENT_KEPT_NANOS = Duration.ofMinutes(5).toNanos();

	private static final long INCIDENTS_KEPT_NANOS = Duration.ofHours(1).toNanos();

	private static final long SEND_TIMEOUT_MILLIS = 2000;

	private static final int MOST_INSTANCES = 1000;

	private static final int MOST_DEPARTED = 200;

	private static final String REPORT = "report ";

	private static final String LEFT = "left ";

	/** Opens the subscription of an instance that has never waited for a lock. */
	private static final String HELLO = "hello";

	private final String id;

	private final ClientMessages messages;

	private final Supplier<InstanceReport> own;

	private final Consumer<InstanceReport> listener;

	private final Executor executor;

	private final LongSupplier nanoTime;

	private final Map<String, Heard> heard = new HashMap<>();

	/** What went wrong on instances that have left, by the time when that was heard. */
	private final Deque<Departed> departed = new ArrayDeque<>();

	/** When others were sent a report of their own, by the ids of their clients. */
	private final Map<String, Long> replies = new HashMap<>();

	private long sequence;

	/** When a report was sent to all. */
	private long publishedAt;

	private long publishedSequence;

	/** When a report was sent to all that has come back, and so was heard by others. */
	private long echoedAt;

	/** When the first report was sent to all that has not come back since. */
	private @Nullable Long unechoedSince;

	private @Nullable String refusal;

	private volatile boolean watching;

	private volatile boolean away;

	/**
	 * Replies to others from now on.
	 * @param id the id of the own reports
	 * @param own makes the own report
	 * @param listener is told the reports of others
	 * @param executor runs what follows from a message, one after the other
	 */
	ReportExchange(String id, ClientMessages messages, Supplier<InstanceReport> own, Consumer<InstanceReport> listener,
			Executor executor, LongSupplier nanoTime) {
		this.id = id;
		this.messages = messages;
		this.own = own;
		this.listener = listener;
		this.executor = executor;
		this.nanoTime = nanoTime;
		long now = nanoTime.getAsLong();
		this.publishedAt = now - PAUSE_NANOS;
		this.echoedAt = now - PAUSE_NANOS;
		messages.listen(this::received);
	}

	/** Subscribes, so that this instance hears others who ask. */
	void open() {
		this.away = false;
		send(() -> this.messages.broadcast(HELLO));
	}

	/**
	 * Sends the own report to all.
	 * @param watching whether others are asked for theirs
	 * @param inspection what this instance has found in the backend for all
	 * @return completes when the backend has the report
	 */
	CompletableFuture<?> publish(boolean watching, @Nullable Inspection inspection) {
		this.watching = watching;
		if (this.away) {
			return CompletableFuture.completedFuture(null);
		}
		InstanceReport report = this.own.get().sent(begin(), watching, inspection);
		return send(() -> this.messages.broadcast(REPORT + ReportText.of(report))).whenComplete((sent, failure) -> {
			synchronized (this) {
				this.refusal = (failure != null) ? text(failure) : null;
			}
		});
	}

	private synchronized long begin() {
		long now = this.nanoTime.getAsLong();
		if (now - this.publishedAt >= PAUSE_NANOS) {
			this.heard.clear();
			this.unechoedSince = null;
		}
		this.publishedAt = now;
		this.publishedSequence = ++this.sequence;
		this.unechoedSince = Objects.requireNonNullElse(this.unechoedSince, now);
		return this.publishedSequence;
	}

	/**
	 * Tells others that this instance leaves, and replies to nobody from then on.
	 * @return completes when they are told, or cannot be
	 */
	CompletableFuture<?> leave() {
		return CompletableFuture.supplyAsync(() -> {
			this.away = true;
			return isKnown() ? send(() -> this.messages.broadcast(LEFT + this.id))
					: CompletableFuture.completedFuture(null);
		}, this.executor).thenCompose((sent) -> sent).handle((sent, failure) -> null);
	}

	/** Whether another instance may show this one. */
	private synchronized boolean isKnown() {
		long now = this.nanoTime.getAsLong();
		return now - this.publishedAt < PAUSE_NANOS
				|| this.replies.values().stream().anyMatch((repliedAt) -> now - repliedAt < PAUSE_NANOS);
	}

	private static CompletableFuture<?> send(Supplier<CompletableFuture<?>> message) {
		try {
			return message.get()
				.<Object>thenApply((sent) -> true)
				.orTimeout(SEND_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static String text(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof LockBackendException known) ? known.detail() : String.valueOf(cause.getMessage());
	}

	/** Called by the thread that reads messages, which must not be held up. */
	private void received(String message) {
		if (message.startsWith(REPORT)) {
			this.executor.execute(() -> hear(message.substring(REPORT.length())));
		}
		else if (message.startsWith(LEFT)) {
			this.executor.execute(() -> forget(message.substring(LEFT.length())));
		}
	}

	private void hear(String text) {
		InstanceReport report;
		try {
			report = ReportText.parse(text);
		}
		catch (IllegalArgumentException ex) {
			logger.debug("A report was not understood", ex);
			return;
		}
		if (report.id().equals(this.id)) {
			echoed(report.sequence());
		}
		else if (keep(report)) {
			this.listener.accept(report);
			if (report.watching() && !this.away && isDue(report.client())) {
				reply(report.client());
			}
		}
	}

	/** Returns whether it is news: in a quorum each server passes it on. */
	private synchronized boolean keep(InstanceReport report) {
		Heard known = this.heard.get(report.id());
		if (known != null && known.report().sequence() >= report.sequence()) {
			return false;
		}
		if (known != null || this.heard.size() < MOST_INSTANCES) {
			this.heard.put(report.id(), new Heard(report, this.nanoTime.getAsLong()));
			this.departed.removeIf((gone) -> gone.id().equals(report.id()));
		}
		return true;
	}

	private synchronized void echoed(long number) {
		if (number == this.publishedSequence) {
			this.echoedAt = this.publishedAt;
			this.unechoedSince = null;
		}
	}

	/**
	 * Whether a client is to be sent a report of its own: one for all is not due soon.
	 */
	private synchronized boolean isDue(String client) {
		long now = this.nanoTime.getAsLong();
		this.replies.values().removeIf((repliedAt) -> now - repliedAt >= PAUSE_NANOS);
		Long repliedAt = this.replies.get(client);
		if (this.watching || now - this.publishedAt < REPLY_PAUSE_NANOS
				|| (repliedAt != null && now - repliedAt < REPLY_PAUSE_NANOS)) {
			return false;
		}
		this.replies.put(client, now);
		return true;
	}

	private void reply(String client) {
		InstanceReport report = this.own.get().sent(nextSequence(), false, null);
		send(() -> this.messages.send(client, REPORT + ReportText.of(report))).whenComplete((sent, failure) -> {
			if (failure != null) {
				logger.debug("A report to an instance that asked was not sent", failure);
			}
		});
	}

	private synchronized long nextSequence() {
		return ++this.sequence;
	}

	private synchronized void forget(String id) {
		Heard gone = this.heard.remove(id);
		if (gone != null) {
			this.departed.addFirst(new Departed(id, gone.report().instance(), gone.report().incidents(), gone.at()));
			if (this.departed.size() > MOST_DEPARTED) {
				this.departed.removeLast();
			}
		}
	}

	/** Returns what is known of all instances. */
	Roster roster() {
		InstanceReport report = this.own.get();
		List<Member> members = new ArrayList<>();
		members.add(new Member(report, true, 0, false));
		synchronized (this) {
			long now = this.nanoTime.getAsLong();
			long unechoed = unechoed(now);
			boolean hears = unechoed < REPLY_NANOS;
			List.copyOf(this.heard.values())
				.stream()
				.filter((other) -> now - other.at() > SILENT_KEPT_NANOS)
				.forEach((gone) -> forget(gone.report().id()));
			this.departed.removeIf((gone) -> now - gone.at() > INCIDENTS_KEPT_NANOS);
			this.heard.values()
				.stream()
				.map((other) -> new Member(other.report(), false, TimeUnit.NANOSECONDS.toMillis(now - other.at()),
						hears && isSilent(other, now)))
				.sorted(Comparator.comparing((Member member) -> member.report().instance())
					.thenComparing((member) -> member.report().id()))
				.forEach(members::add);
			return new Roster(members, this.departed.stream().map((gone) -> gone.aged(now)).toList(), hears,
					unechoed >= DEAF_NANOS, this.refusal);
		}
	}

	/** Whoever was asked, as the own echo shows, and has not replied. */
	private boolean isSilent(Heard other, long now) {
		return now - other.at() > SILENCE.toNanos() && this.echoedAt - other.at() > 0
				&& now - this.echoedAt > REPLY_NANOS;
	}

	/** Since when own reports have not come back, as far as is known. */
	private long unechoed(long now) {
		Long since = this.unechoedSince;
		return (since != null) ? now - since : 0;
	}

	/**
	 * The instances as far as they are known.
	 *
	 * @param members the instances, this one first
	 * @param departed those that have left, the latest first
	 * @param hears whether messages reach this instance just now
	 * @param deaf whether none has for longer than a busy machine explains
	 * @param refusal why reports cannot be sent, or {@code null} if they can
	 */
	record Roster(List<Member> members, List<Departed> departed, boolean hears, boolean deaf,
			@Nullable String refusal) {

		Member own() {
			return this.members.get(0);
		}

		/** Returns how many locks were lost within the last hour. */
		long lost() {
			long present = this.members.stream().mapToLong((member) -> member.report().lost()).sum();
			return present + this.departed.stream()
				.flatMap(Departed::incidentsUntilNow)
				.filter((each) -> each.incident().isLoss() && each.isRecent())
				.count();
		}

		/** Returns what went wrong within the last hour, also on instances that left. */
		List<InstanceIncident> incidents() {
			return Stream
				.concat(this.members.stream()
					.flatMap((member) -> InstanceIncident.of(member.report().instance(), member.report().incidents(),
							member.ageMillis())),
						this.departed.stream().flatMap(Departed::incidentsUntilNow))
				.filter(InstanceIncident::isRecent)
				.toList();
		}

	}

	/**
	 * Incident on an instance.
	 *
	 * @param instance the instance
	 * @param incident the incident, with the time that has passed until now
	 */
	record InstanceIncident(String instance, InstanceReport.Incident incident) {

		private static Stream<InstanceIncident> of(String instance, List<InstanceReport.Incident> incidents,
				long passed) {
			return incidents.stream().map((each) -> new InstanceIncident(instance, each.aged(passed)));
		}

		private boolean isRecent() {
			return this.incident.agoMillis() < TimeUnit.NANOSECONDS.toMillis(INCIDENTS_KEPT_NANOS);
		}

	}

	/**
	 * An instance.
	 *
	 * @param report its latest report
	 * @param own whether it is this one
	 * @param ageMillis how old the report is
	 * @param silent whether it has not replied although it was asked
	 */
	record Member(InstanceReport report, boolean own, long ageMillis, boolean silent) {
	}

	/**
	 * An instance that has left.
	 *
	 * @param id tells it from all others
	 * @param instance its name
	 * @param incidents what had gone wrong there
	 * @param at when that was heard, or how long ago in nanoseconds
	 */
	record Departed(String id, String instance, List<InstanceReport.Incident> incidents, long at) {

		private Departed aged(long now) {
			return new Departed(this.id, this.instance, this.incidents, now - this.at);
		}

		private Stream<InstanceIncident> incidentsUntilNow() {
			return InstanceIncident.of(this.instance, this.incidents, TimeUnit.NANOSECONDS.toMillis(this.at));
		}

	}

	/**
	 * A report of another instance.
	 *
	 * @param report the report
	 * @param at when it came
	 */
	private record Heard(InstanceReport report, long at) {
	}

}
