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
 * Reactive transaction of a subscriber to locked publishers. It holds their locks until
 * it has completed, so that the next holder sees the committed data. Loaded only if
 * Reactor and Spring's transactions are present.
 * <p>
 * Spring notifies the synchronizations that are active when a transaction ends. When a
 * transaction is cancelled while another one suspends it, those of the other one may be
 * active, or none, and no synchronization of this transaction is notified. A suspended
 * transaction is therefore checked until it is resumed. The locks of a transaction that
 * is no longer reachable are released when the garbage collector detects it.
 */
final class SubscriberTransaction implements TransactionSynchronization {

	/** Key of all transactions of a context, including suspended ones. */
	private static final Object ALL = new Object();

	/** Minimum interval between checks of a suspended transaction: 1 s. */
	private static final Duration MIN_CHECK_INTERVAL = Duration.ofSeconds(1);

	private static final Cleaner CLEANER = Cleaner.create();

	private final TransactionContext context;

	private final TransactionHolds holds = new TransactionHolds();

	/** Number of times that the transaction was suspended or resumed. */
	private final AtomicInteger changes = new AtomicInteger();

	private SubscriberTransaction(TransactionContext context) {
		this.context = context;
		CLEANER.register(this, this.holds::release);
	}

	/**
	 * Returns the transaction of a subscriber, or {@code null} if there is none. Must be
	 * called before the method runs: a transaction that begins later ends with the
	 * method, and the transaction at its end may be another one.
	 */
	static @Nullable SubscriberTransaction of(ContextView subscriber) {
		TransactionContext context = subscriber.getOrDefault(TransactionContext.class, null);
		if (context == null || !context.isActualTransactionActive()) {
			return null;
		}
		// Branches of a transaction may run at the same time.
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
	 * Returns the locks under which a subscription is made, including those that it needs
	 * again and that a transaction, or a suspended one, still holds. Otherwise the
	 * subscription would wait for itself.
	 */
	static LockContext locks(ContextView subscriber, LockContext held, LockCall call) {
		TransactionContext context = subscriber.getOrDefault(TransactionContext.class, null);
		if (context == null) {
			return held;
		}
		LockContext locks = held;
		synchronized (context) {
			for (SubscriberTransaction transaction : all(context)) {
				locks = CallerTransaction.withHeld(locks, call, transaction.holds::find);
			}
		}
		return locks;
	}

	/**
	 * Releases a lock when the transaction has completed and the method has ended.
	 * @return {@code false} if the caller has to release the lock at once, because the
	 * transaction has completed, or holds the lock for an earlier call
	 */
	boolean keep(HeldLock lock, CompletionStage<?> ended) {
		return this.holds.add(lock, ended);
	}

	/** Begins to check the transaction, because another one suspends it. */
	@Override
	public Mono<Void> suspend() {
		return Mono.fromRunnable(() -> checkLater(this.changes.incrementAndGet(), false));
	}

	@Override
	public Mono<Void> resume() {
		return Mono.fromRunnable(this.changes::incrementAndGet);
	}

	/**
	 * Schedules a check, after a lease, whether the transaction is still suspended.
	 * @param change the number of the suspension
	 * @param wasInactive whether no transaction was active at the previous check
	 */
	private void checkLater(int change, boolean wasInactive) {
		long pause = Math.max(this.holds.remainingLease().toNanos(), MIN_CHECK_INTERVAL.toNanos());
		WeakReference<SubscriberTransaction> transaction = new WeakReference<>(this);
		CompletableFuture.delayedExecutor(pause, TimeUnit.NANOSECONDS, Runnable::run).execute(() -> {
			SubscriberTransaction suspended = transaction.get();
			if (suspended != null && suspended.changes.get() == change) {
				suspended.check(change, wasInactive);
			}
		});
	}

	/**
	 * Completes the transaction if none has been active for a while. Then neither the
	 * inner transaction nor this one exists, or this one will fail to commit because its
	 * lock is lost.
	 */
	private void check(int change, boolean wasInactive) {
		boolean inactive = this.context.getSynchronizations() == null;
		if (wasInactive && inactive) {
			afterCompletion(STATUS_UNKNOWN).subscribe();
		}
		else {
			checkLater(change, inactive);
		}
	}

	/** Prevents a commit without the locks. */
	@Override
	public Mono<Void> beforeCommit(boolean readOnly) {
		return Mono.defer(() -> {
			List<HeldLock> lost = this.holds.lost();
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
					this.holds.complete().stream().map((release) -> Mono.fromFuture(release, true)).toList());
		});
	}

	/**
	 * Locks that a transaction holds. This class does not refer to the transaction, so
	 * that the transaction can be garbage-collected.
	 */
	private static final class TransactionHolds {

		/** Locks that are required for a commit. */
		private final List<HeldLock> required = new ArrayList<>();

		private final List<Release> releases = new ArrayList<>();

		private final Map<LockId, LockHandle> handles = new HashMap<>();

		private boolean completed;

		synchronized boolean add(HeldLock lock, CompletionStage<?> ended) {
			if (this.completed || staysHeld(lock.handle())) {
				return false;
			}
			this.required.add(lock);
			this.releases.add(new Release(lock, ended));
			lock.handle().parts().forEach((part) -> this.handles.put(new LockId(part.name(), part.registry()), part));
			return true;
		}

		private boolean staysHeld(LockHandle lock) {
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

		/** Ends the collection of locks, and returns the releases that are due. */
		synchronized List<Release> complete() {
			this.completed = true;
			this.handles.clear();
			List<Release> all = List.copyOf(this.releases);
			this.releases.clear();
			return all;
		}

		/** Releases all locks, because the end of the transaction was not reported. */
		void release() {
			complete().forEach(Release::get);
		}

	}

	/**
	 * Pending release of one lock.
	 *
	 * @param lock the lock
	 * @param ended completes when the method has ended
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
	 * Name of a lock in a registry, whose name is {@code null} if there is only one.
	 */
	private record LockId(String name, @Nullable String registry) {
	}

}
