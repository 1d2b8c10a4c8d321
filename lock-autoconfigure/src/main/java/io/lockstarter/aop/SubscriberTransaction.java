package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionSynchronization;

/**
 * The reactive transaction in which somebody subscribes to a locked publisher. It keeps
 * the lock until it is completed, so that the next holder sees what it has committed.
 * Loaded only where Reactor and Spring's transactions are.
 */
final class SubscriberTransaction {

	/** Where they are kept in sight while a transaction is suspended. */
	private static final Object KEPT = new Object();

	private final TransactionContext context;

	private SubscriberTransaction(TransactionContext context) {
		this.context = context;
	}

	/**
	 * Return the transaction of a subscriber, or {@code null} if there is none. To be
	 * asked before the method runs: a transaction that begins later ends with the method.
	 */
	static @Nullable SubscriberTransaction of(ContextView subscriber) {
		return subscriber.<TransactionContext>getOrEmpty(TransactionContext.class)
			.filter(TransactionContext::isActualTransactionActive)
			.map(SubscriberTransaction::new)
			.orElse(null);
	}

	/**
	 * Return the locks under which the subscriber runs, with those that are kept and
	 * needed again: the transaction would wait for itself.
	 */
	LockContext locks(LockContext subscriber, Collection<String> names) {
		LockContext locks = subscriber;
		for (ReleaseOnCompletion kept : kept()) {
			if (isNeeded(kept.lock().handle(), names, locks)) {
				locks = locks.with(kept.lock().handle());
			}
		}
		return locks;
	}

	private static boolean isNeeded(LockHandle kept, Collection<String> names, LockContext locks) {
		return kept.parts()
			.stream()
			.anyMatch((part) -> names.contains(part.name()) && locks.holding(part.name()).isEmpty());
	}

	/** Also what a transaction keeps that is suspended for this one. */
	private List<ReleaseOnCompletion> kept() {
		synchronized (this.context) {
			return this.context.getResources().get(KEPT) instanceof Kept all ? List.copyOf(all.releases) : List.of();
		}
	}

	/**
	 * Release a lock when the transaction is completed and the method has ended.
	 * @return whether the transaction still goes on, and does so
	 */
	boolean keep(HeldLock lock, CompletionStage<?> ended) {
		// Branches of a transaction may end at once.
		synchronized (this.context) {
			Set<TransactionSynchronization> synchronizations = this.context.getSynchronizations();
			if (synchronizations == null) {
				return false;
			}
			Kept all = (Kept) this.context.getResources().computeIfAbsent(KEPT, (key) -> new Kept(new ArrayList<>()));
			ReleaseOnCompletion release = new ReleaseOnCompletion(this, lock, ended);
			all.releases.add(release);
			return synchronizations.add(release);
		}
	}

	private void forget(ReleaseOnCompletion release) {
		synchronized (this.context) {
			if (this.context.getResources().get(KEPT) instanceof Kept all) {
				all.releases.remove(release);
			}
		}
	}

	/**
	 * What transactions of one context keep.
	 *
	 * @param releases the releases to come
	 */
	private record Kept(List<ReleaseOnCompletion> releases) {
	}

	/**
	 * Releases a lock after a transaction.
	 *
	 * @param transaction the transaction
	 * @param lock the lock
	 * @param ended when the method has ended
	 */
	private record ReleaseOnCompletion(SubscriberTransaction transaction, HeldLock lock,
			CompletionStage<?> ended) implements TransactionSynchronization {

		/** A commit that is no longer under the lock must not be. */
		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.defer(() -> this.lock.handle().isValid() ? Mono.empty()
					: Mono.<Void>fromRunnable(this.lock::requireValid).subscribeOn(Schedulers.boundedElastic()));
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			this.transaction.forget(this);
			return Mono.fromFuture(() -> this.ended.handle((nothing, failure) -> this.lock.releaseAsync())
				.thenCompose((released) -> released)
				.toCompletableFuture(), true);
		}

	}

}
