package io.lockstarter.engine;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockMonitor.HolderSnapshot;
import io.lockstarter.core.LockMonitor.LockPage;
import io.lockstarter.core.LockMonitor.LockSnapshot;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.FencingTokens;
import org.jspecify.annotations.Nullable;

/**
 * Asks the backend for the locks of all JVMs.
 */
final class ClusterView {

	private final Commands commands;

	private final Completions completions;

	private final Supplier<Set<String>> namesHere;

	/**
	 * Ask a backend.
	 * @param namesHere the locks that are held or waited for in this JVM
	 */
	ClusterView(Commands commands, Completions completions, Supplier<Set<String>> namesHere) {
		this.commands = commands;
		this.completions = completions;
		this.namesHere = namesHere;
	}

	CompletableFuture<LockSnapshot> look(String name) {
		return this.completions.handOver(sight(name));
	}

	/**
	 * Who has a lock, waiting for the backend's answer.
	 * @throws LockBackendException with the stack trace of the caller, if there is none
	 */
	List<Holder> holders(String name) {
		try {
			return sight(name).join().holders().stream().map(HolderSnapshot::holder).toList();
		}
		catch (CompletionException ex) {
			LockBackendException failure = this.commands.explain(name, ex);
			throw new LockBackendException(failure.lockName(), failure.reason(), failure.detail(), failure.mayHaveRun(),
					failure);
		}
	}

	/** A page of locks; if the backend does not list them, those that this JVM knows. */
	CompletableFuture<LockPage> look(String from, int size) {
		CompletableFuture<Page> listed = this.commands.names(from, size);
		return this.completions.handOver(
				listed.thenCompose((page) -> sight(page.names(), page.next(), null)).exceptionallyCompose((failure) -> {
					if (Commands.cause(failure) instanceof LockBackendException refusal
							&& isForGood(refusal.reason())) {
						return sight(this.namesHere.get(), "", refusal.detail());
					}
					return CompletableFuture.failedFuture(Commands.cause(failure));
				}));
	}

	private static boolean isForGood(Reason reason) {
		return reason == Reason.NOT_AUTHORIZED || reason == Reason.NOT_SUPPORTED;
	}

	private CompletableFuture<LockPage> sight(Iterable<String> names, String next, @Nullable String limitation) {
		Set<String> sorted = new TreeSet<>();
		names.forEach(sorted::add);
		List<CompletableFuture<LockSnapshot>> all = sorted.stream().map(this::sightIfLock).toList();
		return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
			.thenApply((nothing) -> new LockPage(
					all.stream().map(CompletableFuture::join).filter((lock) -> !lock.holders().isEmpty()).toList(),
					next, limitation));
	}

	/** Where something else is, nobody has the lock. */
	private CompletableFuture<LockSnapshot> sightIfLock(String name) {
		return sight(name).exceptionallyCompose((failure) -> {
			if (Commands.cause(failure) instanceof LockBackendException known && known.reason() == Reason.FOREIGN_KEY) {
				return CompletableFuture.completedFuture(new LockSnapshot(name, List.of(), 0));
			}
			return CompletableFuture.failedFuture(Commands.cause(failure));
		});
	}

	private CompletableFuture<LockSnapshot> sight(String name) {
		return this.commands.holders(name)
			.thenApply((occupancy) -> new LockSnapshot(name,
					occupancy.holders()
						.stream()
						.map((tenancy) -> new HolderSnapshot(tenancy.holder(), FencingTokens.first(tenancy.base()),
								tenancy.permits()))
						.toList(),
					occupancy.waiting()));
	}

}
