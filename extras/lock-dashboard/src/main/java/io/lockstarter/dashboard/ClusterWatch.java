package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.dashboard.ReportExchange.Member;
import io.lockstarter.dashboard.ReportExchange.Roster;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Watches the locks of one registry on all instances while somebody looks. Every instance
 * reports its own locks; one of those that watch inspects the backend for all.
 */
final class ClusterWatch {

	private static final LockLog logger = LockLog.of(ClusterWatch.class);

	/** A page asks about every second while it is seen. */
	private static final long WATCH_NANOS = Duration.ofMillis(3500).toNanos();

	private static final long TICK_MILLIS = 1000;

	/** Ticks between two reports, and between two inspections. */
	private static final int REPORT_TICKS = 2;

	private static final int INSPECTION_TICKS = 3;

	/**
	 * Replies to a report have come by then, so that what they cover is not looked at.
	 */
	private static final long REPLIES_MILLIS = 250;

	/** An inspection of another instance is believed for so long. */
	private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

	/** A command is answered within that time, or the backend is said not to answer. */
	private static final long ANSWER_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long FIRST_INSPECTION_MILLIS = 900;

	/** Reports come every two seconds. */
	private static final long REPORT_MILLIS = 4000;

	private final ReportExchange exchange;

	private final BackendInspector inspector;

	private final boolean hasMessages;

	private final ScheduledExecutorService executor;

	private final LongSupplier nanoTime;

	private long lookedAt;

	private int ticks = -1;

	private boolean inspecting;

	/** When the first command was sent that has not been answered since. */
	private @Nullable Long unansweredSince;

	private long answeredAt;

	private @Nullable Inspected latest;

	private CompletableFuture<@Nullable Void> firstInspection = new CompletableFuture<>();

	/**
	 * Watches nothing yet.
	 * @param executor runs all that this instance does for the page
	 */
	ClusterWatch(String id, ClientMessages messages, Supplier<InstanceReport> own, BackendInspector inspector,
			ScheduledExecutorService executor, LongSupplier nanoTime) {
		this.exchange = new ReportExchange(id, messages, own, this::heard, executor, nanoTime);
		this.inspector = inspector;
		this.hasMessages = messages != ClientMessages.NONE;
		this.executor = executor;
		this.nanoTime = nanoTime;
		this.lookedAt = nanoTime.getAsLong() - WATCH_NANOS;
		this.answeredAt = nanoTime.getAsLong();
	}

	void open() {
		this.exchange.open();
	}

	CompletableFuture<?> leave() {
		return this.exchange.leave();
	}

	/**
	 * Watches from now on for a while, and waits until anything is known.
	 */
	void look() throws InterruptedException {
		try {
			watch().get(FIRST_INSPECTION_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			logger.debug("The backend is slow to answer, as the page tells", ex);
		}
	}

	/**
	 * Watches from now on for a while.
	 * @return completes when something is known of the backend
	 */
	synchronized CompletableFuture<?> watch() {
		this.lookedAt = this.nanoTime.getAsLong();
		if (this.ticks < 0) {
			this.ticks = 0;
			this.firstInspection = new CompletableFuture<>();
			this.unansweredSince = null;
			this.latest = null;
			execute(this::tick);
		}
		return this.firstInspection;
	}

	private void tick() {
		boolean watching;
		int number;
		synchronized (this) {
			watching = this.nanoTime.getAsLong() - this.lookedAt < WATCH_NANOS;
			number = this.ticks;
			this.ticks = watching ? number + 1 : -1;
		}
		if (watching) {
			schedule(this::tick, TICK_MILLIS);
			if (number % INSPECTION_TICKS == 0) {
				schedule(this::inspectIfChosen, REPLIES_MILLIS);
			}
		}
		if (!watching || number % REPORT_TICKS == 0) {
			publish(watching);
		}
	}

	private void execute(Runnable step) {
		this.executor.execute(() -> runAndTell(step));
	}

	private void schedule(Runnable step, long millis) {
		this.executor.schedule(() -> runAndTell(step), millis, TimeUnit.MILLISECONDS);
	}

	/** An executor would keep a failure to itself. */
	private static void runAndTell(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException ex) {
			logger.warn("The page of locks misses something that could not be found out", ex);
		}
	}

	private void publish(boolean watching) {
		if (this.hasMessages) {
			Inspection own = isChosen() ? ownInspection() : null;
			sent();
			this.exchange.publish(watching, own)
				.whenComplete((done, failure) -> answered(failure == null || isAnswer(failure)));
		}
	}

	/** The one of those that watch whose id comes first inspects the backend for all. */
	private boolean isChosen() {
		Roster roster = this.exchange.roster();
		String own = roster.own().report().id();
		return roster.members()
			.stream()
			.filter((member) -> !member.own() && !member.silent() && member.report().watching()
					&& member.ageMillis() < TimeUnit.NANOSECONDS.toMillis(FRESH_NANOS))
			.allMatch((member) -> own.compareTo(member.report().id()) < 0);
	}

	private void inspectIfChosen() {
		if (!isChosen()) {
			return;
		}
		synchronized (this) {
			if (this.inspecting) {
				return;
			}
			this.inspecting = true;
		}
		Roster roster = this.exchange.roster();
		Set<String> reported = new HashSet<>();
		Set<String> suspects = new HashSet<>();
		for (Member member : roster.members()) {
			Stream<String> holds = member.report().holds().stream().map(InstanceReport.Hold::name);
			holds.forEach((member.silent() || !isHeard(member, roster)) ? suspects::add : reported::add);
			member.report().waits().forEach((wait) -> suspects.add(wait.name()));
		}
		sent();
		try {
			this.inspector.inspect(reported::contains, suspects).whenComplete(this::inspected);
		}
		catch (RuntimeException ex) {
			inspected(null, ex);
		}
	}

	private static boolean isHeard(Member member, Roster roster) {
		return member.own() || roster.hears();
	}

	private void inspected(@Nullable Inspection found, @Nullable Throwable failure) {
		boolean news;
		synchronized (this) {
			this.inspecting = false;
			if (found == null) {
				logger.debug("The backend could not be inspected", failure);
				return;
			}
			Inspected before = this.latest;
			news = before == null || found.differsFrom(before.found());
			this.latest = new Inspected(found.aged(0),
					this.nanoTime.getAsLong() - TimeUnit.MILLISECONDS.toNanos(found.ageMillis()), true);
		}
		answered(found.failure() == null);
		this.firstInspection.complete(null);
		if (news) {
			// Others learn of it at once
			execute(() -> publish(true));
		}
	}

	private synchronized void sent() {
		this.unansweredSince = Objects.requireNonNullElse(this.unansweredSince, this.nanoTime.getAsLong());
	}

	private void answered(boolean answered) {
		boolean again;
		synchronized (this) {
			if (!answered) {
				return;
			}
			again = isUnanswered() && this.latest != null;
			this.unansweredSince = null;
			this.answeredAt = this.nanoTime.getAsLong();
		}
		if (again) {
			execute(this::inspectIfChosen);
		}
	}

	private boolean isUnanswered() {
		Long since = this.unansweredSince;
		return since != null && this.nanoTime.getAsLong() - since >= ANSWER_NANOS;
	}

	/** Whether the backend has replied, if only to refuse. */
	private static boolean isAnswer(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return cause instanceof LockBackendException known && known.reason() != LockBackendException.Reason.TIMEOUT
				&& known.reason() != LockBackendException.Reason.UNREACHABLE;
	}

	private synchronized @Nullable Inspection ownInspection() {
		Inspected known = this.latest;
		if (known == null || !known.own()) {
			return null;
		}
		return known.found().aged(TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong() - known.at()));
	}

	/** Returns what is known. */
	Sight sight() {
		Roster roster = this.exchange.roster();
		synchronized (this) {
			long now = this.nanoTime.getAsLong();
			Inspected known = this.latest;
			Inspection found = (known != null && now - known.at() < FRESH_NANOS)
					? known.found().aged(TimeUnit.NANOSECONDS.toMillis(now - known.at())) : null;
			boolean failed = known != null && known.own() && known.found().failure() != null;
			return new Sight(roster, found,
					(failed || isUnanswered()) ? TimeUnit.NANOSECONDS.toMillis(now - this.answeredAt) : null);
		}
	}

	/** Another instance may inspect the backend for all. */
	private synchronized void heard(InstanceReport report) {
		Inspection found = report.inspection();
		if (found != null) {
			long at = this.nanoTime.getAsLong() - TimeUnit.MILLISECONDS.toNanos(found.ageMillis());
			Inspected known = this.latest;
			if (known == null || at - known.at() > 0) {
				this.latest = new Inspected(found.aged(0), at, false);
				this.firstInspection.complete(null);
			}
		}
	}

	/**
	 * What is known at a moment.
	 *
	 * @param roster the instances with their reports
	 * @param inspection what was found in the backend, if that is not outdated
	 * @param silentMillis for how long the backend has not answered this instance, or
	 * {@code null} if it does
	 */
	record Sight(Roster roster, @Nullable Inspection inspection, @Nullable Long silentMillis) {

		List<Member> members() {
			return this.roster.members();
		}

		/** Returns whether an instance is known to be as it has reported. */
		boolean isLiving(Member member) {
			return member.own()
					|| (this.silentMillis == null && !member.silent() && member.ageMillis() < REPORT_MILLIS);
		}

		/** Returns the inspection, unless the backend has not answered. */
		@Nullable Inspection answer() {
			Inspection found = this.inspection;
			return (this.silentMillis == null && found != null && found.failure() == null) ? found : null;
		}

	}

	/**
	 * An inspection.
	 *
	 * @param found what was found
	 * @param at when it began
	 * @param own whether this instance has made it
	 */
	private record Inspected(Inspection found, long at, boolean own) {
	}

}
