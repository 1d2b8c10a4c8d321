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
import io.lockstarter.dashboard.Inspection.SeenLock;
import org.jspecify.annotations.Nullable;

/**
 * Inspects the backend of a registry: whether it grants locks, and which locks it has
 * that no instance reports.
 */
final class BackendInspector {

	/** How often names are listed, once all have been. */
	private static final long LISTING_NANOS = Duration.ofSeconds(6).toNanos();

	/** About a millisecond of work for Redis, and one command for a thousand locks. */
	private static final int NAMES_A_PAGE = 5000;

	private static final int LOCKS_A_PAGE = 1000;

	/** Unreported locks that are looked at in one inspection, each with a command. */
	private static final int MOST_LOOKS = 200;

	/** Any name will do to see whether the backend can be read. */
	private static final String ANY_NAME = "lock-dashboard";

	private final LockMonitor monitor;

	private final @Nullable LockBackend backend;

	private final Executor executor;

	private final LongSupplier nanoTime;

	/** The names that the backend has, by what the latest complete listing says. */
	private Set<String> names = Set.of();

	/** The names that were found since the latest complete listing. */
	private Set<String> found = new HashSet<>();

	private String next = "";

	private long listedAt;

	private final Map<String, Look> looks = new HashMap<>();

	private @Nullable String limitation;

	/**
	 * Inspects nothing yet.
	 * @param backend the backend of the monitor's registry, or {@code null} if it is not
	 * known: then the monitor lists locks, which takes a command for each
	 * @param executor chooses what to look at, so that replies are not held up by it
	 */
	BackendInspector(LockMonitor monitor, @Nullable LockBackend backend, Executor executor, LongSupplier nanoTime) {
		this.monitor = monitor;
		this.backend = backend;
		this.executor = executor;
		this.nanoTime = nanoTime;
		this.listedAt = nanoTime.getAsLong() - LISTING_NANOS;
	}

	/**
	 * Inspects the backend. One inspection follows upon the other.
	 * @param reported whether an instance reports that it holds a lock of a name
	 * @param suspects names to look at beside those that the backend lists
	 * @return completes normally
	 */
	CompletableFuture<Inspection> inspect(Predicate<String> reported, Collection<String> suspects) {
		long begun = this.nanoTime.getAsLong();
		CompletableFuture<Health> health = this.monitor.health();
		CompletableFuture<?> reading = list(begun).thenComposeAsync((listed) -> look(reported, suspects),
				this.executor);
		return health.thenCompose((state) -> reading.handle((read, failure) -> failure)
			.thenCompose((failure) -> conclude(begun, failure, state)));
	}

	private CompletableFuture<Inspection> conclude(long begun, @Nullable Throwable failure, Health state) {
		Object error = state.details().get("error");
		if (failure != null) {
			boolean late = cause(failure) instanceof TimeoutException;
			return CompletableFuture.completedFuture(
					inspection(begun, (late && error != null) ? error.toString() : detail(failure), null, state));
		}
		if (error == null) {
			return CompletableFuture.completedFuture(inspection(begun, null, null, state));
		}
		// Whether it refuses writes alone, nothing may have shown in this inspection
		return this.monitor.inspect(ANY_NAME)
			.handle((lock, unreadable) -> inspection(begun, (unreadable != null) ? error.toString() : null,
					error.toString(), state));
	}

	private CompletableFuture<?> list(long now) {
		synchronized (this) {
			if (this.next.isEmpty() && now - this.listedAt < LISTING_NANOS) {
				return CompletableFuture.completedFuture(null);
			}
			this.listedAt = now;
		}
		return page(this.next).handle((page, failure) -> {
			if (failure == null) {
				listed(page);
			}
			else if (isForGood(failure)) {
				limited(detail(failure));
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
			return this.monitor.locks(from, LOCKS_A_PAGE).thenApply(NamePage::of);
		}
		try {
			return known.names(from, NAMES_A_PAGE)
				.<NamePage>thenApply((page) -> new NamePage(page.names(), page.next(), null))
				.orTimeout(2, TimeUnit.SECONDS);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private synchronized void listed(NamePage page) {
		this.limitation = page.note();
		this.found.addAll(page.names());
		this.next = page.next();
		if (this.next.isEmpty()) {
			this.names = this.found;
			this.found = new HashSet<>();
		}
	}

	private synchronized void limited(String why) {
		this.limitation = why;
		this.names = Set.of();
		this.next = "";
	}

	private CompletableFuture<?> look(Predicate<String> reported, Collection<String> suspects) {
		List<CompletableFuture<?>> all = due(reported, suspects).stream()
			.<CompletableFuture<?>>map((name) -> this.monitor.inspect(name).handle((lock, failure) -> {
				if (failure == null) {
					looked(lock);
				}
				else if (isUnanswered(failure)) {
					throw new CompletionException(cause(failure));
				}
				return null;
			}))
			.toList();
		return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
	}

	/** The names that nobody reports, those first that were not looked at for longest. */
	private synchronized List<String> due(Predicate<String> reported, Collection<String> suspects) {
		Set<String> unreported = new HashSet<>(this.names);
		unreported.addAll(this.found);
		unreported.addAll(suspects);
		unreported.removeIf(reported);
		this.looks.keySet().retainAll(unreported);
		long now = this.nanoTime.getAsLong();
		return unreported.stream().sorted(Comparator.comparingLong((String name) -> {
			Look look = this.looks.get(name);
			return (look != null) ? look.at() - now : Long.MIN_VALUE;
		})).limit(MOST_LOOKS).toList();
	}

	private synchronized void looked(LockSnapshot lock) {
		this.looks.put(lock.name(), new Look(SeenLock.of(lock), this.nanoTime.getAsLong()));
	}

	private synchronized Inspection inspection(long begun, @Nullable String failure, @Nullable String refusal,
			Health state) {
		List<SeenLock> locks = new ArrayList<>();
		this.looks.values()
			.stream()
			.filter((look) -> !look.lock().holders().isEmpty())
			.map((look) -> look.lock().aged(Math.max(0, TimeUnit.NANOSECONDS.toMillis(begun - look.at()))))
			.forEach(locks::add);
		long age = TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong() - begun);
		return new Inspection(age, failure, (failure == null) ? refusal : null, messages(state), this.limitation,
				locks);
	}

	/** What keeps messages from coming. */
	private static @Nullable String messages(Health state) {
		String allowed = String.valueOf(state.details().getOrDefault("messages", "allowed"));
		if (!allowed.equals("allowed")) {
			return allowed;
		}
		return "down".equals(state.details().get("subscription")) ? "the subscription is down" : null;
	}

	private static boolean isForGood(Throwable failure) {
		return cause(failure) instanceof LockBackendException known
				&& (known.reason() == Reason.NOT_AUTHORIZED || known.reason() == Reason.NOT_SUPPORTED);
	}

	/** Whether a look failed for another reason than the lock itself. */
	private static boolean isUnanswered(Throwable failure) {
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
	 * Some names of locks.
	 *
	 * @param names the names
	 * @param next where the next page begins; empty if there is none
	 * @param note why not all are listed, or {@code null} if all are
	 */
	private record NamePage(List<String> names, String next, @Nullable String note) {

		private static NamePage of(LockPage page) {
			return new NamePage(page.locks().stream().map(LockSnapshot::name).toList(), page.next(), page.note());
		}

	}

	/**
	 * A look at a lock.
	 *
	 * @param lock what was seen
	 * @param at when
	 */
	private record Look(SeenLock lock, long at) {
	}

}
