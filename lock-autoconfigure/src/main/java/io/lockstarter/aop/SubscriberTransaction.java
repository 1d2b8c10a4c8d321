package io.lockstarter.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionSynchronization;

/**
 * A reactive transaction in which somebody subscribes to locked publishers. It keeps
 * their locks until it is completed, so that the next holder sees what it has committed.
 * Loaded only where Reactor and Spring's transactions are.
 */
final class SubscriberTransaction implements TransactionSynchronization {

	/** Where the transactions of a context are found, also while they are suspended. */
	private static final Object ALL = new Object();

	private final TransactionContext context;

	private final @Nullable SubscriberTransaction outer;

	/** The locks without which it must not be committed. */
	private final List<HeldLock> required = new ArrayList<>();

	private final List<Release> releases = new ArrayList<>();

	/** What it keeps, by name. */
	private final Map<String, LockHandle> kept = new HashMap<>();

	private @Nullable Ending ending;

	private boolean completed;

	/**
	 * Note a transaction.
	 * @param context its context
	 * @param outer the transaction of the call in which it has begun, if any
	 */
	private SubscriberTransaction(TransactionContext context, @Nullable SubscriberTransaction outer) {
		this.context = context;
		this.outer = outer;
	}

	/**
	 * Return the transaction of a subscriber, or {@code null} if there is none. To be
	 * asked before the method runs: a transaction that begins later ends with the method,
	 * and the current one at its end may be another.
	 */
	static @Nullable SubscriberTransaction of(ContextView subscriber) {
		TransactionContext context = subscriber.getOrDefault(TransactionContext.class, null);
		if (context == null || !context.isActualTransactionActive()) {
			return null;
		}
		// Branches of a transaction may come at once.
		synchronized (context) {
			Set<TransactionSynchronization> synchronizations = context.getSynchronizations();
			if (synchronizations == null) {
				return null;
			}
			for (SubscriberTransaction transaction : all(context)) {
				if (synchronizations.contains(transaction)) {
					return transaction;
				}
			}
			SubscriberTransaction transaction = new SubscriberTransaction(context, current(subscriber));
			synchronizations.add(transaction);
			all(context).add(transaction);
			return transaction;
		}
	}

	@SuppressWarnings("unchecked")
	private static List<SubscriberTransaction> all(TransactionContext context) {
		return (List<SubscriberTransaction>) context.getResources()
			.computeIfAbsent(ALL, (key) -> new ArrayList<SubscriberTransaction>());
	}

	private static @Nullable SubscriberTransaction current(ContextView context) {
		return context.getOrDefault(SubscriberTransaction.class, null);
	}

	/**
	 * Return the locks under which somebody subscribes, with those that are needed again
	 * and kept for a transaction, or for one that is suspended: it would wait for itself.
	 */
	static LockContext locks(ContextView subscriber, LockContext held, Collection<String> names) {
		TransactionContext context = subscriber.getOrDefault(TransactionContext.class, null);
		if (context == null) {
			return held;
		}
		LockContext locks = held;
		synchronized (context) {
			for (SubscriberTransaction transaction : all(context)) {
				for (String name : names) {
					LockHandle handle = transaction.kept.get(name);
					if (handle != null && handle.isValid() && locks.holding(name).isEmpty()) {
						locks = locks.with(handle);
					}
				}
			}
		}
		return locks;
	}

	/** Make known to what a method does that it was called in this transaction. */
	Context around(Context method) {
		return method.put(SubscriberTransaction.class, this);
	}

	private boolean isAround(ContextView context) {
		SubscriberTransaction transaction = current(context);
		while (transaction != null && transaction != this) {
			transaction = transaction.outer;
		}
		return transaction != null;
	}

	/**
	 * Release a lock when the transaction is completed and the method has ended.
	 * @return {@code false} if it is to be released now: the transaction does not go on,
	 * or keeps the lock for an earlier call
	 */
	boolean keep(HeldLock lock, CompletionStage<?> ended) {
		synchronized (this.context) {
			if (this.completed || isKept(lock.handle())) {
				return false;
			}
			this.required.add(lock);
			Set<TransactionSynchronization> current = this.context.getSynchronizations();
			if (current == null) {
				// Another one begins or ends, and this one may never be resumed. If it
				// is, it cannot be committed.
				return false;
			}
			if (!current.contains(this)) {
				current.add(new Meanwhile(this));
			}
			this.releases.add(new Release(lock, ended));
			lock.handle().parts().forEach((part) -> this.kept.put(part.name(), part));
			return true;
		}
	}

	private boolean isKept(LockHandle lock) {
		return lock.parts().stream().allMatch((part) -> {
			LockHandle earlier = this.kept.get(part.name());
			return earlier != null && earlier.isValid() && earlier.owner().equals(part.owner());
		});
	}

	/** A commit that is no longer under the locks must not be. */
	@Override
	public Mono<Void> beforeCommit(boolean readOnly) {
		return Mono.defer(() -> {
			List<HeldLock> lost = required().stream().filter((lock) -> !lock.handle().isValid()).toList();
			return lost.isEmpty() ? Mono.empty() : Mono.<Void>fromRunnable(() -> lost.forEach(HeldLock::requireValid))
				.subscribeOn(Schedulers.boundedElastic());
		});
	}

	private List<HeldLock> required() {
		synchronized (this.context) {
			return List.copyOf(this.required);
		}
	}

	@Override
	public Mono<Void> afterCompletion(int status) {
		return Mono.defer(() -> Mono
			.whenDelayError(complete().stream().map((release) -> Mono.fromFuture(release, true)).toList()));
	}

	/** Keep nothing any more, and return what is to be released. */
	private List<Release> complete() {
		synchronized (this.context) {
			this.completed = true;
			all(this.context).remove(this);
			this.kept.clear();
			List<Release> all = List.copyOf(this.releases);
			this.releases.clear();
			return all;
		}
	}

	private void completing(Ending ending) {
		synchronized (this.context) {
			this.ending = (this.ending != Ending.COMMIT) ? ending : this.ending;
		}
	}

	/**
	 * The transaction inside has ended. If this one ends at the same time, there may be
	 * nobody to be told so. What is rolled back needs its locks no more; what is
	 * committed does not keep them for longer than a lease.
	 */
	private Mono<Void> insideEnded() {
		synchronized (this.context) {
			if (this.ending == Ending.COMMIT) {
				CompletableFuture.delayedExecutor(longestLease().toNanos(), TimeUnit.NANOSECONDS)
					.execute(() -> afterCompletion(STATUS_UNKNOWN).subscribe());
			}
			return (this.ending == Ending.ROLLBACK) ? afterCompletion(STATUS_ROLLED_BACK) : Mono.empty();
		}
	}

	private Duration longestLease() {
		return this.releases.stream()
			.map((release) -> release.lock().handle().remainingLease())
			.max(Duration::compareTo)
			.orElse(Duration.ZERO);
	}

	/**
	 * How a transaction is about to end.
	 */
	private enum Ending {

		COMMIT, ROLLBACK

	}

	/**
	 * The release to come of one lock.
	 *
	 * @param lock the lock
	 * @param ended when the method has ended
	 */
	private record Release(HeldLock lock,
			CompletionStage<?> ended) implements Supplier<CompletableFuture<@Nullable Void>> {

		@Override
		public CompletableFuture<@Nullable Void> get() {
			return this.ended.handle((nothing, failure) -> this.lock.releaseAsync())
				.<@Nullable Void>thenCompose((released) -> released)
				.toCompletableFuture();
		}

	}

	/**
	 * Stands for a transaction in the one for which it is suspended. When both are
	 * cancelled at once, or the former goes on before the latter has ended, Spring may
	 * tell its end to those of the latter.
	 *
	 * @param suspended the transaction
	 */
	private record Meanwhile(SubscriberTransaction suspended) implements TransactionSynchronization {

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return either(ending(Ending.COMMIT).then(this.suspended.beforeCommit(readOnly)), Mono.empty());
		}

		@Override
		public Mono<Void> beforeCompletion() {
			return either(ending(Ending.ROLLBACK), Mono.empty());
		}

		private Mono<Void> ending(Ending ending) {
			return Mono.fromRunnable(() -> this.suspended.completing(ending));
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return either(this.suspended.afterCompletion(status), Mono.defer(this.suspended::insideEnded));
		}

		/** By whose end it is: this transaction's, or that of the one inside. */
		private Mono<Void> either(Mono<Void> own, Mono<Void> inside) {
			return Mono.deferContextual((context) -> this.suspended.isAround(context) ? inside : own);
		}

	}

}
