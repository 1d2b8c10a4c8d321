package io.lockstarter.engine;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockMonitor.HolderSnapshot;
import io.lockstarter.core.LockMonitor.LockPage;
import io.lockstarter.core.LockMonitor.LockSnapshot;
import io.lockstarter.core.LockMonitor.Waiting;
import io.lockstarter.core.backend.LockBackend.CurrentHolder;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.core.backend.LockBackend.WaitQueue;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.FencingTokens;
import io.lockstarter.engine.lock.LocalLock;
import io.lockstarter.engine.lock.LockTable;
import org.jspecify.annotations.Nullable;

/**
 * View of the locks that all JVMs hold or wait for, as reported by the backend.
 */
final class ClusterView {

	private final Commands commands;

	private final Completions completions;

	private final LockTable here;

	/**
	 * Creates a view of a backend.
	 * @param here the locks that this JVM holds or waits for
	 */
	ClusterView(Commands commands, Completions completions, LockTable here) {
		this.commands = commands;
		this.completions = completions;
		this.here = here;
	}

	CompletableFuture<LockSnapshot> inspect(String name) {
		return this.completions.handOver(fetch(name));
	}

	/**
	 * Returns the holders of a lock, and blocks until the backend has replied.
	 * @throws LockBackendException with the stack trace of the caller, if the backend
	 * does not reply
	 */
	List<Holder> holders(String name) {
		try {
			return fetch(name).join().holders().stream().map(HolderSnapshot::holder).toList();
		}
		catch (CompletionException ex) {
			LockBackendException failure = this.commands.explain(name, ex);
			throw new LockBackendException(failure.lockName(), failure.reason(), failure.detail(), failure.mayHaveRun(),
					failure);
		}
	}

	/**
	 * Returns a page of locks. If the backend cannot list locks, the page contains the
	 * locks that this JVM holds or waits for.
	 */
	CompletableFuture<LockPage> locks(String from, int size) {
		CompletableFuture<Page> listed = this.commands.names(from, size);
		return this.completions.handOver(
				listed.thenCompose((page) -> page(page.names(), page.next(), null)).exceptionallyCompose((failure) -> {
					if (Commands.cause(failure) instanceof LockBackendException refusal
							&& isPermanent(refusal.reason())) {
						return page(this.here.names(), "", refusal.detail());
					}
					return CompletableFuture.failedFuture(Commands.cause(failure));
				}));
	}

	private static boolean isPermanent(Reason reason) {
		return reason == Reason.NOT_AUTHORIZED || reason == Reason.NOT_SUPPORTED;
	}

	private CompletableFuture<LockPage> page(Iterable<String> names, String next, @Nullable String limitation) {
		Set<String> sorted = new TreeSet<>();
		names.forEach(sorted::add);
		List<CompletableFuture<LockSnapshot>> all = sorted.stream().map(this::inspectIfLock).toList();
		return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
			.thenApply((nothing) -> new LockPage(
					all.stream().map(CompletableFuture::join).filter((lock) -> !lock.holders().isEmpty()).toList(),
					next, limitation));
	}

	/**
	 * Inspects a name, and reports no holders if the key contains another type of data.
	 */
	private CompletableFuture<LockSnapshot> inspectIfLock(String name) {
		return fetch(name).exceptionallyCompose((failure) -> {
			if (Commands.cause(failure) instanceof LockBackendException known && known.reason() == Reason.FOREIGN_KEY) {
				return CompletableFuture.completedFuture(new LockSnapshot(name, List.of(), 0, 0, null));
			}
			return CompletableFuture.failedFuture(Commands.cause(failure));
		});
	}

	private CompletableFuture<LockSnapshot> fetch(String name) {
		return this.commands.holders(name)
			.thenApply((current) -> snapshot(name, current.holders().stream().map(ClusterView::holder).toList(),
					current.queue()));
	}

	/**
	 * Adds requests of this JVM that the backend does not know, because they wait while
	 * this JVM holds the lock.
	 */
	private LockSnapshot snapshot(String name, List<HolderSnapshot> holders, WaitQueue queue) {
		LocalLock lock = this.here.find(name);
		List<Waiting> unseen = (lock != null && !holders.isEmpty()) ? lock.waitingUnseen() : List.of();
		Instant since = Stream
			.concat((queue.clients() > 0) ? Stream.of(instant(queue.since())) : Stream.empty(),
					unseen.stream().map(Waiting::since))
			.min(Comparator.naturalOrder())
			.orElse(null);
		return new LockSnapshot(name, holders, queue.requests() + unseen.size(),
				queue.clients() + (unseen.isEmpty() ? 0 : 1), since);
	}

	/**
	 * Describes a holder. The token base is the time of the acquisition by the backend's
	 * clock, in microseconds.
	 */
	private static HolderSnapshot holder(CurrentHolder current) {
		Instant since = (current.base() != 0) ? instant(current.base())
				: Instant.now().minus(current.holder().heldFor()).truncatedTo(ChronoUnit.MILLIS);
		return new HolderSnapshot(current.holder(), FencingTokens.first(current.base()), current.permits(), since);
	}

	private static Instant instant(long micros) {
		return Instant.ofEpochMilli(micros / 1000);
	}

}
