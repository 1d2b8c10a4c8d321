package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Health;
import io.lockstarter.core.LockMonitor.LockPage;
import io.lockstarter.core.LockMonitor.LockSnapshot;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.dashboard.Inspection.InspectedLock;
import org.jspecify.annotations.Nullable;

/**
 * Inspector of a registry's backend. It finds out whether the backend grants locks, and
 * which locks no instance reports.
 */
final class BackendInspector {

	/** Interval between two complete listings of the names: 6 s. */
	private static final long LISTING_INTERVAL_NANOS = Duration.ofSeconds(6).toNanos();

	/**
	 * Number of names per page: Redis needs about a millisecond and one command for a
	 * thousand locks.
	 */
	private static final int NAMES_PER_PAGE = 5000;

	private static final int LOCKS_PER_PAGE = 1000;

	/** Number of unreported locks that one inspection reads, each with one command. */
	private static final int MAX_INSPECTED_LOCKS = 200;

	/** Arbitrary name of a lock, which is read to find out whether reads succeed. */
	private static final String PROBE_NAME = "lock-dashboard";

	private final LockMonitor monitor;

	private final @Nullable LockBackend backend;

	private final Executor executor;

	private final LongSupplier nanoTime;

	/** Names from the latest complete listing. */
	private Set<String> listedNames = Set.of();

	/** Names that the current, incomplete listing has found so far. */
	private Set<String> newNames = new HashSet<>();

	private String nextPage = "";

	private long listedAt;

	private final Map<String, InspectedAt> inspected = new HashMap<>();

	private @Nullable String limitation;

	/**
	 * Creates an inspector, which does nothing until {@link #inspect} is called.
	 * @param backend the backend of the monitor's registry, or {@code null} if it is not
	 * known; without it, the monitor lists the locks, which takes one command per lock
	 * @param executor runs the selection of locks, so that the selection does not delay
	 * replies of the backend
	 */
	BackendInspector(LockMonitor monitor, @Nullable LockBackend backend, Executor executor, LongSupplier nanoTime) {
		this.monitor = monitor;
		this.backend = backend;
		this.executor = executor;
		this.nanoTime = nanoTime;
		this.listedAt = nanoTime.getAsLong() - LISTING_INTERVAL_NANOS;
	}

	/**
	 * Inspects the backend. The caller must not start an inspection before the previous
	 * one has completed.
	 * @param reported whether an instance reports that it holds the lock with a name
	 * @param suspects names to inspect in addition to those that the backend lists
	 * @return a future that always completes normally
	 */
	CompletableFuture<Inspection> inspect(Predicate<String> reported, Collection<String> suspects) {
		long begun = this.nanoTime.getAsLong();
		CompletableFuture<Health> health = this.monitor.health();
		CompletableFuture<?> reading = listNames(begun)
			.thenComposeAsync((listed) -> inspectUnreported(reported, suspects), this.executor);
		return health.thenCompose((state) -> reading.handle((read, failure) -> failure)
			.thenCompose((failure) -> conclude(begun, failure, state)));
	}

	private CompletableFuture<Inspection> conclude(long begun, @Nullable Throwable failure, Health state) {
		Object error = state.details().get("error");
		if (failure != null) {
			boolean timedOut = cause(failure) instanceof TimeoutException;
			return CompletableFuture.completedFuture(
					inspection(begun, (timedOut && error != null) ? error.toString() : detail(failure), null, state));
		}
		if (error == null) {
			return CompletableFuture.completedFuture(inspection(begun, null, null, state));
		}
		// This inspection may have read nothing: a read shows whether only writes fail
		return this.monitor.inspect(PROBE_NAME)
			.handle((lock, unreadable) -> inspection(begun, (unreadable != null) ? error.toString() : null,
					error.toString(), state));
	}

	private CompletableFuture<?> listNames(long now) {
		synchronized (this) {
			if (this.nextPage.isEmpty() && now - this.listedAt < LISTING_INTERVAL_NANOS) {
				return CompletableFuture.completedFuture(null);
			}
			this.listedAt = now;
		}
		return page(this.nextPage).handle((page, failure) -> {
			if (failure == null) {
				addPage(page);
			}
			else if (isPermanent(failure)) {
				abandonListing(detail(failure));
			}
			else {
				throw new CompletionException(cause(failure));
			}
			return null;
		});
	}

	private CompletableFuture<NamePage> page(String from) {
		LockBackend known = this.backend;
		if (known == null) {
			return this.monitor.locks(from, LOCKS_PER_PAGE).thenApply(NamePage::of);
		}
		try {
			return known.names(from, NAMES_PER_PAGE)
				.<NamePage>thenApply((page) -> new NamePage(page.names(), page.next(), null))
				.orTimeout(2, TimeUnit.SECONDS);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private synchronized void addPage(NamePage page) {
		this.limitation = page.note();
		this.newNames.addAll(page.names());
		this.nextPage = page.next();
		if (this.nextPage.isEmpty()) {
			this.listedNames = this.newNames;
			this.newNames = new HashSet<>();
		}
	}

	private synchronized void abandonListing(String reason) {
		this.limitation = reason;
		this.listedNames = Set.of();
		this.nextPage = "";
	}

	private CompletableFuture<?> inspectUnreported(Predicate<String> reported, Collection<String> suspects) {
		List<CompletableFuture<?>> all = dueNames(reported, suspects).stream()
			.<CompletableFuture<?>>map((name) -> this.monitor.inspect(name).handle((lock, failure) -> {
				if (failure == null) {
					store(lock);
				}
				else if (isBackendFailure(failure)) {
					throw new CompletionException(cause(failure));
				}
				return null;
			}))
			.toList();
		return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
	}

	/** Returns unreported names; the ones with the oldest inspection come first. */
	private synchronized List<String> dueNames(Predicate<String> reported, Collection<String> suspects) {
		Set<String> unreported = new HashSet<>(this.listedNames);
		unreported.addAll(this.newNames);
		unreported.addAll(suspects);
		unreported.removeIf(reported);
		this.inspected.keySet().retainAll(unreported);
		long now = this.nanoTime.getAsLong();
		return unreported.stream().sorted(Comparator.comparingLong((String name) -> {
			InspectedAt latest = this.inspected.get(name);
			return (latest != null) ? latest.at() - now : Long.MIN_VALUE;
		})).limit(MAX_INSPECTED_LOCKS).toList();
	}

	private synchronized void store(LockSnapshot lock) {
		this.inspected.put(lock.name(), new InspectedAt(InspectedLock.of(lock), this.nanoTime.getAsLong()));
	}

	private synchronized Inspection inspection(long begun, @Nullable String failure, @Nullable String refusal,
			Health state) {
		List<InspectedLock> locks = new ArrayList<>();
		this.inspected.values()
			.stream()
			.filter((each) -> !each.lock().holders().isEmpty())
			.map((each) -> each.lock().aged(Math.max(0, TimeUnit.NANOSECONDS.toMillis(begun - each.at()))))
			.forEach(locks::add);
		long age = TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong() - begun);
		return new Inspection(age, failure, (failure == null) ? refusal : null, messageFailure(state), this.limitation,
				locks);
	}

	/** Returns why no messages arrive, or {@code null} if they do. */
	private static @Nullable String messageFailure(Health state) {
		String allowed = String.valueOf(state.details().getOrDefault("messages", "allowed"));
		if (!allowed.equals("allowed")) {
			return allowed;
		}
		return "down".equals(state.details().get("subscription")) ? "the subscription is down" : null;
	}

	private static boolean isPermanent(Throwable failure) {
		return cause(failure) instanceof LockBackendException known
				&& (known.reason() == Reason.NOT_AUTHORIZED || known.reason() == Reason.NOT_SUPPORTED);
	}

	/** Returns whether the cause is the backend and not the inspected key. */
	private static boolean isBackendFailure(Throwable failure) {
		return !(cause(failure) instanceof LockBackendException known && known.reason() == Reason.FOREIGN_KEY);
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private static String detail(Throwable failure) {
		Throwable cause = cause(failure);
		if (cause instanceof TimeoutException) {
			return "no reply in time";
		}
		return (cause instanceof LockBackendException known) ? known.detail() : String.valueOf(cause);
	}

	/**
	 * Page of names of locks.
	 *
	 * @param names the names
	 * @param next the start of the next page; empty if this is the last one
	 * @param note why the listing is incomplete, or {@code null} if it is complete
	 */
	private record NamePage(List<String> names, String next, @Nullable String note) {

		private static NamePage of(LockPage page) {
			return new NamePage(page.locks().stream().map(LockSnapshot::name).toList(), page.next(), page.note());
		}

	}

	/**
	 * Inspected lock with the time of its inspection.
	 *
	 * @param lock the lock
	 * @param at the time of the inspection, in nanoseconds
	 */
	private record InspectedAt(InspectedLock lock, long at) {
	}

}
