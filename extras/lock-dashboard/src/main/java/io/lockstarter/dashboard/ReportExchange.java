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
 * Exchange of reports between the instances while a page is open. An instance whose page
 * is open broadcasts its report every two seconds, and the other instances reply with
 * theirs. While no page is open, no instance sends anything.
 */
final class ReportExchange {

	/** Interval between two reports of an instance whose page is open: 2 s. */
	static final Duration PERIOD = Duration.ofSeconds(2);

	private static final LockLog logger = LockLog.of(ReportExchange.class);

	/** Time after a report during which the instance sends no further report: 700 ms. */
	private static final long REPLY_PAUSE_NANOS = Duration.ofMillis(700).toNanos();

	/**
	 * Age of the latest report from which an instance counts as unresponsive: 2.8 s. It
	 * exceeds the interval between two reports of an instance that omits one reply
	 * because of its pause.
	 */
	static final Duration UNRESPONSIVE_AFTER = Duration.ofMillis(2800);

	/** Time limit of a reply on a busy machine: 800 ms. */
	private static final long REPLY_TIMEOUT_NANOS = Duration.ofMillis(800).toNanos();

	/** Time without an echo after which the subscription counts as lost: 2.5 s. */
	private static final long SUBSCRIPTION_LOST_NANOS = Duration.ofMillis(2500).toNanos();

	/** Time without own reports after which received reports are obsolete: 10 s. */
	private static final long IDLE_NANOS = Duration.ofSeconds(10).toNanos();

	/** Time for which an unresponsive instance is still shown: 5 min. */
	private static final long UNRESPONSIVE_RETENTION_NANOS = Duration.ofMinutes(5).toNanos();

	private static final long INCIDENT_RETENTION_NANOS = Duration.ofHours(1).toNanos();

	private static final long SEND_TIMEOUT_MILLIS = 2000;

	private static final int MAX_INSTANCES = 1000;

	private static final int MAX_DEPARTED = 200;

	private static final String REPORT = "report ";

	private static final String LEFT = "left ";

	/**
	 * Message without content. Sending it subscribes an instance that has never waited
	 * for a lock.
	 */
	private static final String HELLO = "hello";

	private final String id;

	private final ClientMessages messages;

	private final Supplier<InstanceReport> own;

	private final Consumer<InstanceReport> listener;

	private final Executor executor;

	private final LongSupplier nanoTime;

	/** Latest reports of the other instances, by the ids of the instances. */
	private final Map<String, ReceivedReport> received = new HashMap<>();

	/** Instances that have left, the latest first, whose incidents are still shown. */
	private final Deque<DepartedInstance> departed = new ArrayDeque<>();

	/** Times of the latest replies to other instances, by the ids of their clients. */
	private final Map<String, Long> replies = new HashMap<>();

	private long sequence;

	/** Time of the latest broadcast report. */
	private long publishedAt;

	private long publishedSequence;

	/**
	 * Time of the latest broadcast report that this instance has received itself, and
	 * that has therefore reached the others.
	 */
	private long echoedAt;

	/** Time of the first broadcast report after that one. */
	private @Nullable Long echoPendingSince;

	private @Nullable String refusal;

	private volatile boolean watching;

	private volatile boolean hasLeft;

	/**
	 * Creates an exchange that replies to other instances from now on.
	 * @param id the unique id of this instance
	 * @param own creates the report of this instance
	 * @param listener is notified of the reports of other instances
	 * @param executor processes the received messages sequentially
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
		this.publishedAt = now - IDLE_NANOS;
		this.echoedAt = now - IDLE_NANOS;
		messages.listen(this::messageReceived);
	}

	/** Subscribes to the messages of the other instances. */
	void open() {
		this.hasLeft = false;
		send(() -> this.messages.broadcast(HELLO));
	}

	/**
	 * Broadcasts the report of this instance.
	 * @param watching whether the other instances have to reply with their reports
	 * @param inspection the inspection of the backend, or {@code null} if another
	 * instance inspects the backend
	 * @return a future that completes when the backend has received the report
	 */
	CompletableFuture<?> publish(boolean watching, @Nullable Inspection inspection) {
		this.watching = watching;
		if (this.hasLeft) {
			return CompletableFuture.completedFuture(null);
		}
		InstanceReport report = this.own.get().sent(startBroadcast(), watching, inspection);
		return send(() -> this.messages.broadcast(REPORT + ReportText.of(report))).whenComplete((sent, failure) -> {
			synchronized (this) {
				this.refusal = (failure != null) ? text(failure) : null;
			}
		});
	}

	private synchronized long startBroadcast() {
		long now = this.nanoTime.getAsLong();
		if (now - this.publishedAt >= IDLE_NANOS) {
			this.received.clear();
			this.echoPendingSince = null;
		}
		this.publishedAt = now;
		this.publishedSequence = ++this.sequence;
		this.echoPendingSince = Objects.requireNonNullElse(this.echoPendingSince, now);
		return this.publishedSequence;
	}

	/**
	 * Notifies the other instances that this instance leaves, and stops replying.
	 * @return a future that completes when the notification was sent or has failed
	 */
	CompletableFuture<?> leave() {
		return CompletableFuture.supplyAsync(() -> {
			this.hasLeft = true;
			return isKnownToOthers() ? send(() -> this.messages.broadcast(LEFT + this.id))
					: CompletableFuture.completedFuture(null);
		}, this.executor).thenCompose((sent) -> sent).handle((sent, failure) -> null);
	}

	boolean hasLeft() {
		return this.hasLeft;
	}

	/** Returns whether another instance may show this one. */
	private synchronized boolean isKnownToOthers() {
		long now = this.nanoTime.getAsLong();
		return now - this.publishedAt < IDLE_NANOS
				|| this.replies.values().stream().anyMatch((repliedAt) -> now - repliedAt < IDLE_NANOS);
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

	/** Hands a message over to the executor, because the caller must not be blocked. */
	private void messageReceived(String message) {
		if (message.startsWith(REPORT)) {
			this.executor.execute(() -> reportReceived(message.substring(REPORT.length())));
		}
		else if (message.startsWith(LEFT)) {
			this.executor.execute(() -> remove(message.substring(LEFT.length())));
		}
	}

	private void reportReceived(String text) {
		InstanceReport report;
		try {
			report = ReportText.parse(text);
		}
		catch (IllegalArgumentException ex) {
			logger.debug("A report of another instance is not in the format of this version, and is ignored", ex);
			return;
		}
		if (report.id().equals(this.id)) {
			echoReceived(report.sequence());
		}
		else if (storeIfNew(report)) {
			this.listener.accept(report);
			if (report.watching() && !this.hasLeft && isReplyDue(report.client())) {
				reply(report.client());
			}
		}
	}

	/**
	 * Stores a report unless it is known, and returns whether it was new. In a quorum,
	 * each server delivers the report once.
	 */
	private synchronized boolean storeIfNew(InstanceReport report) {
		ReceivedReport known = this.received.get(report.id());
		if (known != null && known.report().sequence() >= report.sequence()) {
			return false;
		}
		if (known != null || this.received.size() < MAX_INSTANCES) {
			this.received.put(report.id(), new ReceivedReport(report, this.nanoTime.getAsLong()));
			this.departed.removeIf((gone) -> gone.id().equals(report.id()));
		}
		return true;
	}

	private synchronized void echoReceived(long number) {
		if (number == this.publishedSequence) {
			this.echoedAt = this.publishedAt;
			this.echoPendingSince = null;
		}
	}

	/**
	 * Returns whether this instance has to reply to a client, because it has not just
	 * sent a report and will not broadcast one soon.
	 */
	private synchronized boolean isReplyDue(String client) {
		long now = this.nanoTime.getAsLong();
		this.replies.values().removeIf((repliedAt) -> now - repliedAt >= IDLE_NANOS);
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
				logger.debug("The reply to another instance, which shows the lock dashboard, was not sent", failure);
			}
		});
	}

	private synchronized long nextSequence() {
		return ++this.sequence;
	}

	private synchronized void remove(String id) {
		ReceivedReport gone = this.received.remove(id);
		if (gone != null) {
			this.departed
				.addFirst(new DepartedInstance(id, gone.report().instance(), gone.report().incidents(), gone.at()));
			if (this.departed.size() > MAX_DEPARTED) {
				this.departed.removeLast();
			}
		}
	}

	/** Returns all known instances with their reports. */
	Roster roster() {
		InstanceReport report = this.own.get();
		List<Member> members = new ArrayList<>();
		members.add(new Member(report, true, 0, false));
		synchronized (this) {
			long now = this.nanoTime.getAsLong();
			long pending = echoPendingNanos(now);
			boolean subscribed = pending < REPLY_TIMEOUT_NANOS;
			List.copyOf(this.received.values())
				.stream()
				.filter((other) -> now - other.at() > UNRESPONSIVE_RETENTION_NANOS)
				.forEach((gone) -> remove(gone.report().id()));
			this.departed.removeIf((gone) -> now - gone.at() > INCIDENT_RETENTION_NANOS);
			this.received.values()
				.stream()
				.map((other) -> new Member(other.report(), false, TimeUnit.NANOSECONDS.toMillis(now - other.at()),
						subscribed && isUnresponsive(other, now)))
				.sorted(Comparator.comparing((Member member) -> member.report().instance())
					.thenComparing((member) -> member.report().id()))
				.forEach(members::add);
			return new Roster(members, this.departed.stream().map((gone) -> gone.aged(now)).toList(), subscribed,
					pending >= SUBSCRIPTION_LOST_NANOS, this.refusal);
		}
	}

	/** Returns whether an instance received the latest broadcast and has not replied. */
	private boolean isUnresponsive(ReceivedReport other, long now) {
		return now - other.at() > UNRESPONSIVE_AFTER.toNanos() && this.echoedAt - other.at() > 0
				&& now - this.echoedAt > REPLY_TIMEOUT_NANOS;
	}

	/** Returns the time since the first broadcast that this instance has not received. */
	private long echoPendingNanos(long now) {
		Long since = this.echoPendingSince;
		return (since != null) ? now - since : 0;
	}

	/**
	 * Known instances.
	 *
	 * @param members the instances, this one first
	 * @param departed the instances that have left, the latest first
	 * @param subscribed whether messages reach this instance at the moment
	 * @param subscriptionLost whether messages have not arrived for longer than a busy
	 * machine would explain
	 * @param refusal the reason why reports cannot be sent, or {@code null} if they can
	 */
	record Roster(List<Member> members, List<DepartedInstance> departed, boolean subscribed, boolean subscriptionLost,
			@Nullable String refusal) {

		Member own() {
			return this.members.get(0);
		}

		/** Returns the number of locks that were lost within the last hour. */
		long lost() {
			long present = this.members.stream().mapToLong((member) -> member.report().lost()).sum();
			return present + this.departed.stream()
				.flatMap(DepartedInstance::incidentsUntilNow)
				.filter((each) -> each.incident().isLoss() && each.isRecent())
				.count();
		}

		/**
		 * Returns the incidents of the last hour, including those on instances that have
		 * left.
		 */
		List<InstanceIncident> incidents() {
			return Stream
				.concat(this.members.stream()
					.flatMap((member) -> InstanceIncident.of(member.report().instance(), member.report().incidents(),
							member.ageMillis())),
						this.departed.stream().flatMap(DepartedInstance::incidentsUntilNow))
				.filter(InstanceIncident::isRecent)
				.toList();
		}

	}

	/**
	 * Incident on an instance.
	 *
	 * @param instance the instance
	 * @param incident the incident, with its current age
	 */
	record InstanceIncident(String instance, InstanceReport.Incident incident) {

		private static Stream<InstanceIncident> of(String instance, List<InstanceReport.Incident> incidents,
				long passed) {
			return incidents.stream().map((each) -> new InstanceIncident(instance, each.aged(passed)));
		}

		private boolean isRecent() {
			return this.incident.agoMillis() < TimeUnit.NANOSECONDS.toMillis(INCIDENT_RETENTION_NANOS);
		}

	}

	/**
	 * Instance with its latest report.
	 *
	 * @param report the latest report
	 * @param own whether the instance is this one
	 * @param ageMillis the age of the report
	 * @param unresponsive whether the instance has not replied to the latest broadcast
	 */
	record Member(InstanceReport report, boolean own, long ageMillis, boolean unresponsive) {
	}

	/**
	 * Instance that has left.
	 *
	 * @param id the unique id of the instance
	 * @param instance the instance's name
	 * @param incidents the incidents in its last report
	 * @param at the time when its last report was received, or the age of this report, in
	 * nanoseconds
	 */
	record DepartedInstance(String id, String instance, List<InstanceReport.Incident> incidents, long at) {

		private DepartedInstance aged(long now) {
			return new DepartedInstance(this.id, this.instance, this.incidents, now - this.at);
		}

		private Stream<InstanceIncident> incidentsUntilNow() {
			return InstanceIncident.of(this.instance, this.incidents, TimeUnit.NANOSECONDS.toMillis(this.at));
		}

	}

	/**
	 * Report of another instance.
	 *
	 * @param report the report
	 * @param at the time when it was received
	 */
	private record ReceivedReport(InstanceReport report, long at) {
	}

}
