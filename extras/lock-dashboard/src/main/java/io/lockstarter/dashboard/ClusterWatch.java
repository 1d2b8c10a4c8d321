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
 * Watch over the locks of one registry on all instances, which is active while a page is
 * open. Every instance reports its own locks. One of the watching instances inspects the
 * backend on behalf of all.
 */
final class ClusterWatch {

	private static final LockLog logger = LockLog.of(ClusterWatch.class);

	/**
	 * Time after the last request of a page when watching ends: 3.5 s. A visible page
	 * sends a request about every second.
	 */
	private static final long WATCH_NANOS = Duration.ofMillis(3500).toNanos();

	private static final long TICK_MILLIS = 1000;

	/** Interval between two reports, in ticks. */
	private static final int REPORT_TICKS = 2;

	/** Interval between two inspections, in ticks. */
	private static final int INSPECTION_TICKS = 3;

	/**
	 * Delay of an inspection after a report: 250 ms. Replies to the report arrive
	 * meanwhile, so the inspection can omit the locks in them.
	 */
	private static final long REPLY_DELAY_MILLIS = 250;

	/** Age up to which an inspection is used: 5 s. */
	private static final long INSPECTION_VALID_NANOS = Duration.ofSeconds(5).toNanos();

	/** Time without a reply after which the backend counts as unresponsive: 1 s. */
	private static final long REPLY_TIMEOUT_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long FIRST_INSPECTION_TIMEOUT_MILLIS = 900;

	/** Age up to which a report is current: 4 s, twice the interval of reports. */
	private static final long REPORT_VALID_MILLIS = 4000;

	private final ReportExchange exchange;

	private final BackendInspector inspector;

	private final boolean hasMessages;

	private final ScheduledExecutorService executor;

	private final LongSupplier nanoTime;

	private long viewedAt;

	private int ticks = -1;

	private CompletableFuture<?> inspecting = CompletableFuture.completedFuture(null);

	/** Time of the first command that is still without a reply. */
	private @Nullable Long pendingSince;

	private long repliedAt;

	private @Nullable InspectedAt latest;

	private CompletableFuture<@Nullable Void> firstInspection = new CompletableFuture<>();

	/**
	 * Creates a watch, which is inactive until {@link #watch()} is called.
	 * @param executor runs all work of this instance for the page
	 */
	ClusterWatch(String id, ClientMessages messages, Supplier<InstanceReport> own, BackendInspector inspector,
			ScheduledExecutorService executor, LongSupplier nanoTime) {
		this.exchange = new ReportExchange(id, messages, own, this::received, executor, nanoTime);
		this.inspector = inspector;
		this.hasMessages = messages != ClientMessages.NONE;
		this.executor = executor;
		this.nanoTime = nanoTime;
		this.viewedAt = nanoTime.getAsLong() - WATCH_NANOS;
		this.repliedAt = nanoTime.getAsLong();
	}

	void open() {
		this.exchange.open();
	}

	/**
	 * Stops watching, and notifies the other instances that this instance leaves.
	 * @return a future that completes once no further command will be sent
	 */
	CompletableFuture<?> leave() {
		CompletableFuture<?> left = this.exchange.leave();
		synchronized (this) {
			this.viewedAt = this.nanoTime.getAsLong() - WATCH_NANOS;
		}
		// No other inspection begins after the departure
		return left.thenCompose((nothing) -> inspecting());
	}

	private synchronized CompletableFuture<?> inspecting() {
		return this.inspecting;
	}

	/**
	 * Starts or prolongs watching, and waits for the first inspection.
	 */
	void watchAndAwaitInspection() throws InterruptedException {
		try {
			watch().get(FIRST_INSPECTION_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			logger.debug("The page is shown without the locks in the backend, which replies slowly", ex);
		}
	}

	/**
	 * Starts or prolongs watching.
	 * @return a future that completes after the first inspection of the backend
	 */
	synchronized CompletableFuture<?> watch() {
		this.viewedAt = this.nanoTime.getAsLong();
		if (this.ticks < 0) {
			this.ticks = 0;
			this.firstInspection = new CompletableFuture<>();
			this.pendingSince = null;
			this.latest = null;
			execute(this::tick);
		}
		return this.firstInspection;
	}

	private void tick() {
		boolean watching;
		int number;
		synchronized (this) {
			watching = this.nanoTime.getAsLong() - this.viewedAt < WATCH_NANOS;
			number = this.ticks;
			this.ticks = watching ? number + 1 : -1;
		}
		if (watching) {
			schedule(this::tick, TICK_MILLIS);
			if (number % INSPECTION_TICKS == 0) {
				schedule(this::inspectIfElected, REPLY_DELAY_MILLIS);
			}
		}
		if (!watching || number % REPORT_TICKS == 0) {
			publish(watching);
		}
	}

	private void execute(Runnable step) {
		this.executor.execute(() -> runLogged(step));
	}

	private void schedule(Runnable step, long millis) {
		this.executor.schedule(() -> runLogged(step), millis, TimeUnit.MILLISECONDS);
	}

	/** Runs a step and logs its failure, which an executor would discard. */
	private static void runLogged(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException ex) {
			logger.warn("The lock dashboard may be incomplete: an update of its data failed", ex);
		}
	}

	private void publish(boolean watching) {
		if (this.hasMessages) {
			Inspection own = isElected() ? ownInspection() : null;
			commandSent();
			this.exchange.publish(watching, own)
				.whenComplete((done, failure) -> completed(failure == null || isReply(failure)));
		}
	}

	/**
	 * Returns whether this instance inspects the backend, as the one with the lowest id
	 * among the watching instances.
	 */
	private boolean isElected() {
		Roster roster = this.exchange.roster();
		String own = roster.own().report().id();
		return roster.members()
			.stream()
			.filter((member) -> !member.own() && !member.unresponsive() && member.report().watching()
					&& member.ageMillis() < TimeUnit.NANOSECONDS.toMillis(INSPECTION_VALID_NANOS))
			.allMatch((member) -> own.compareTo(member.report().id()) < 0);
	}

	private void inspectIfElected() {
		if (this.exchange.hasLeft() || !isElected()) {
			return;
		}
		CompletableFuture<?> inspected = new CompletableFuture<>();
		synchronized (this) {
			if (!this.inspecting.isDone()) {
				return;
			}
			this.inspecting = inspected;
		}
		Roster roster = this.exchange.roster();
		Set<String> reported = new HashSet<>();
		Set<String> suspects = new HashSet<>();
		for (Member member : roster.members()) {
			Stream<String> holds = member.report().holds().stream().map(InstanceReport.Hold::name);
			holds.forEach((member.unresponsive() || !isUpToDate(member, roster)) ? suspects::add : reported::add);
			member.report().waits().forEach((wait) -> suspects.add(wait.name()));
		}
		commandSent();
		try {
			this.inspector.inspect(reported::contains, suspects).whenComplete((inspection, failure) -> {
				inspected.complete(null);
				inspected(inspection, failure);
			});
		}
		catch (RuntimeException ex) {
			inspected.complete(null);
			inspected(null, ex);
		}
	}

	private static boolean isUpToDate(Member member, Roster roster) {
		return member.own() || roster.subscribed();
	}

	private void inspected(@Nullable Inspection inspection, @Nullable Throwable failure) {
		boolean changed;
		synchronized (this) {
			if (inspection == null) {
				logger.debug("The inspection of the backend failed", failure);
				return;
			}
			InspectedAt previous = this.latest;
			changed = previous == null || inspection.differsFrom(previous.inspection());
			this.latest = new InspectedAt(inspection.aged(0),
					this.nanoTime.getAsLong() - TimeUnit.MILLISECONDS.toNanos(inspection.ageMillis()), true);
		}
		completed(inspection.failure() == null);
		this.firstInspection.complete(null);
		if (changed) {
			// The other instances are notified at once
			execute(() -> publish(true));
		}
	}

	private synchronized void commandSent() {
		this.pendingSince = Objects.requireNonNullElse(this.pendingSince, this.nanoTime.getAsLong());
	}

	private void completed(boolean replied) {
		boolean recovered;
		synchronized (this) {
			if (!replied) {
				return;
			}
			recovered = isReplyOverdue() && this.latest != null;
			this.pendingSince = null;
			this.repliedAt = this.nanoTime.getAsLong();
		}
		if (recovered) {
			execute(this::inspectIfElected);
		}
	}

	private boolean isReplyOverdue() {
		Long since = this.pendingSince;
		return since != null && this.nanoTime.getAsLong() - since >= REPLY_TIMEOUT_NANOS;
	}

	/** Returns whether the failure is a reply of the backend, such as a refusal. */
	private static boolean isReply(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return cause instanceof LockBackendException known && known.reason() != LockBackendException.Reason.TIMEOUT
				&& known.reason() != LockBackendException.Reason.UNREACHABLE;
	}

	private synchronized @Nullable Inspection ownInspection() {
		InspectedAt known = this.latest;
		return (known != null && known.own()) ? known.aged(this.nanoTime.getAsLong()) : null;
	}

	/** Returns everything that is known at this moment. */
	Snapshot snapshot() {
		Roster roster = this.exchange.roster();
		synchronized (this) {
			long now = this.nanoTime.getAsLong();
			InspectedAt known = this.latest;
			Inspection inspection = (known != null && now - known.at() < INSPECTION_VALID_NANOS) ? known.aged(now)
					: null;
			boolean failed = known != null && known.own() && known.inspection().failure() != null;
			return new Snapshot(roster, inspection,
					(failed || isReplyOverdue()) ? TimeUnit.NANOSECONDS.toMillis(now - this.repliedAt) : null);
		}
	}

	/** Stores the inspection in a report of another instance, if there is a newer one. */
	private synchronized void received(InstanceReport report) {
		Inspection inspection = report.inspection();
		if (inspection != null) {
			long at = this.nanoTime.getAsLong() - TimeUnit.MILLISECONDS.toNanos(inspection.ageMillis());
			InspectedAt known = this.latest;
			if (known == null || at - known.at() > 0) {
				this.latest = new InspectedAt(inspection.aged(0), at, false);
				this.firstInspection.complete(null);
			}
		}
	}

	/**
	 * Snapshot of the locks and the instances.
	 *
	 * @param roster the instances with their reports
	 * @param inspection the latest inspection of the backend, or {@code null} if there is
	 * none or it is outdated
	 * @param unresponsiveMillis the time since the last reply of the backend to this
	 * instance, or {@code null} if the backend is responsive
	 */
	record Snapshot(Roster roster, @Nullable Inspection inspection, @Nullable Long unresponsiveMillis) {

		List<Member> members() {
			return this.roster.members();
		}

		/** Returns whether the latest report of an instance is current. */
		boolean isCurrent(Member member) {
			return member.own() || (this.unresponsiveMillis == null && !member.unresponsive()
					&& member.ageMillis() < REPORT_VALID_MILLIS);
		}

		/** Returns the inspection if it succeeded and the backend is responsive. */
		@Nullable Inspection successfulInspection() {
			Inspection latest = this.inspection;
			return (this.unresponsiveMillis == null && latest != null && latest.failure() == null) ? latest : null;
		}

	}

	/**
	 * Inspection with its time and origin.
	 *
	 * @param inspection the inspection
	 * @param at the time when it began, in nanoseconds
	 * @param own whether this instance made it
	 */
	private record InspectedAt(Inspection inspection, long at, boolean own) {

		private Inspection aged(long now) {
			return this.inspection.aged(TimeUnit.NANOSECONDS.toMillis(now - this.at));
		}

	}

}
