package io.lockstarter.aop;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionSynchronization;

/**
 * A reactive transaction in which somebody subscribes to locked publishers. It keeps
 * their locks until it is completed, so that the next holder sees what it has committed.
 * Loaded only where Reactor and Spring's transactions are.
 * <p>
 * Spring tells the end of a transaction to the synchronizations that are in force at that
 * moment. When a transaction is cancelled while it is suspended for another one, those of
 * the other one may be in force, or none: then nobody is told. So a suspended transaction
 * is looked after until it is resumed; and what is kept for one that nobody can reach any
 * more is released when the garbage collector finds that.
 */
final class SubscriberTransaction implements TransactionSynchronization {

	/** Where the transactions of a context are found, also while they are suspended. */
	private static final Object ALL = new Object();

	/** After how long at least to look after a transaction that is suspended. */
	private static final Duration SHORTEST_LOOK = Duration.ofSeconds(1);

	private static final Cleaner CLEANER = Cleaner.create();

	private final TransactionContext context;

	private final Kept kept = new Kept();

	/** How often it has been suspended and resumed. */
	private final AtomicInteger changes = new AtomicInteger();

	private SubscriberTransaction(TransactionContext context) {
		this.context = context;
		CLEANER.register(this, this.kept::release);
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
			SubscriberTransaction transaction = new SubscriberTransaction(context);
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

	/**
	 * Return the locks under which somebody subscribes, with those that are needed again
	 * and kept for a transaction, or for one that is suspended: it would wait for itself.
	 */
	static LockContext locks(ContextView subscriber, LockContext held, LockCall call) {
		TransactionContext context = subscriber.getOrDefault(TransactionContext.class, null);
		if (context == null) {
			return held;
		}
		LockContext locks = held;
		synchronized (context) {
			for (SubscriberTransaction transaction : all(context)) {
				locks = CallerTransaction.withKept(locks, call, transaction.kept::find);
			}
		}
		return locks;
	}

	/**
	 * Release a lock when the transaction is completed and the method has ended.
	 * @return {@code false} if it is to be released now: the transaction does not go on,
	 * or keeps the lock for an earlier call
	 */
	boolean keep(HeldLock lock, CompletionStage<?> ended) {
		return this.kept.add(lock, ended);
	}

	/** Another transaction begins inside. */
	@Override
	public Mono<Void> suspend() {
		return Mono.fromRunnable(() -> lookAfter(this.changes.incrementAndGet(), false));
	}

	@Override
	public Mono<Void> resume() {
		return Mono.fromRunnable(this.changes::incrementAndGet);
	}

	/**
	 * See a lease later whether it is suspended yet.
	 * @param change by what it was suspended
	 * @param alone whether no transaction was in force when it was looked at before
	 */
	private void lookAfter(int change, boolean alone) {
		long pause = Math.max(this.kept.remainingLease().toNanos(), SHORTEST_LOOK.toNanos());
		WeakReference<SubscriberTransaction> transaction = new WeakReference<>(this);
		CompletableFuture.delayedExecutor(pause, TimeUnit.NANOSECONDS, Runnable::run).execute(() -> {
			SubscriberTransaction suspended = transaction.get();
			if (suspended != null && suspended.changes.get() == change) {
				suspended.look(change, alone);
			}
		});
	}

	/**
	 * Where no transaction has been in force for a while, neither the one inside nor this
	 * one is there any more, or this one will find that it has no lock to be committed.
	 */
	private void look(int change, boolean alone) {
		boolean aloneNow = this.context.getSynchronizations() == null;
		if (alone && aloneNow) {
			afterCompletion(STATUS_UNKNOWN).subscribe();
		}
		else {
			lookAfter(change, aloneNow);
		}
	}

	/** A commit that is no longer under the locks must not be. */
	@Override
	public Mono<Void> beforeCommit(boolean readOnly) {
		return Mono.defer(() -> {
			List<HeldLock> lost = this.kept.lost();
			return lost.isEmpty() ? Mono.empty() : Mono.<Void>fromRunnable(() -> lost.forEach(HeldLock::requireValid))
				.subscribeOn(Schedulers.boundedElastic());
		});
	}

	@Override
	public Mono<Void> afterCompletion(int status) {
		return Mono.defer(() -> {
			this.changes.incrementAndGet();
			synchronized (this.context) {
				all(this.context).remove(this);
			}
			return Mono.whenDelayError(
					this.kept.complete().stream().map((release) -> Mono.fromFuture(release, true)).toList());
		});
	}

	/**
	 * What a transaction keeps. Does not know the transaction, so as not to be what keeps
	 * it alive.
	 */
	private static final class Kept {

		/** Without these it must not be committed. */
		private final List<HeldLock> required = new ArrayList<>();

		private final List<Release> releases = new ArrayList<>();

		private final Map<LockId, LockHandle> handles = new HashMap<>();

		private boolean completed;

		synchronized boolean add(HeldLock lock, CompletionStage<?> ended) {
			if (this.completed || isKept(lock.handle())) {
				return false;
			}
			this.required.add(lock);
			this.releases.add(new Release(lock, ended));
			lock.handle().parts().forEach((part) -> this.handles.put(new LockId(part.name(), part.registry()), part));
			return true;
		}

		private boolean isKept(LockHandle lock) {
			return lock.parts().stream().allMatch((part) -> {
				LockHandle earlier = find(part.name(), part.registry());
				return earlier != null && earlier.owner().equals(part.owner());
			});
		}

		synchronized @Nullable LockHandle find(String name, @Nullable String registry) {
			LockHandle handle = this.handles.get(new LockId(name, registry));
			return (handle != null && handle.isValid()) ? handle : null;
		}

		synchronized Duration remainingLease() {
			return this.handles.values()
				.stream()
				.map(LockHandle::remainingLease)
				.max(Duration::compareTo)
				.orElse(Duration.ZERO);
		}

		synchronized List<HeldLock> lost() {
			return this.required.stream().filter((lock) -> !lock.handle().isValid()).toList();
		}

		/** Keep nothing any more, and return what is to be released. */
		synchronized List<Release> complete() {
			this.completed = true;
			this.handles.clear();
			List<Release> all = List.copyOf(this.releases);
			this.releases.clear();
			return all;
		}

		/** Nobody has told the end. */
		void release() {
			complete().forEach(Release::get);
		}

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
	 * A lock's name in a registry, which has a name if there are several.
	 */
	private record LockId(String name, @Nullable String registry) {
	}

}
