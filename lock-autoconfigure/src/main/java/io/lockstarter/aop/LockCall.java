package io.lockstarter.aop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of an annotated method.
 *
 * @param attribute what its annotation says
 * @param names the locks it needs
 * @param permits how many may hold each of them at a time
 * @param invocation the rest of its way to the method
 * @param registry where the locks come from
 */
record LockCall(LockAttribute attribute, List<String> names, int permits, MethodInvocation invocation,
		LockRegistry registry) {

	/**
	 * Take the locks, waiting for them on the calling thread, which owns them. A lock
	 * that is kept for longer than the method is not the thread's, who could take it
	 * again meanwhile; neither is one that belongs to the task the thread works for.
	 * @param outer the locks under which the thread runs
	 */
	HeldLock acquire(LockContext outer) throws InterruptedException {
		boolean again = holdsAny((name) -> holding(name, outer).isPresent());
		LockOwner owner = (this.attribute.terms().isKept() && !again)
				? LockOwner.create(Thread.currentThread().getName()) : LockOwner.currentThread();
		LockHandle lock = (this.names.size() == 1) ? this.registry.acquire(request(this.names.get(0), outer, owner))
				: this.registry.acquireAll(requests(outer, owner));
		if (!again) {
			MinimumHold.cover(lock, this.attribute.terms().holdAtLeast());
		}
		return held(lock, outer, again);
	}

	/**
	 * Take the locks without waiting for them. Those that the surrounding task holds its
	 * owner takes again. A thread that holds one does not: the new task may outlive what
	 * the thread does.
	 */
	CompletableFuture<LockHandle> acquireAsync(LockContext outer) {
		LockOwner owner = LockOwner.create(this.attribute.name());
		CompletableFuture<LockHandle> acquisition = (this.names.size() == 1)
				? this.registry.acquireAsync(request(this.names.get(0), outer, owner))
				: this.registry.acquireAllAsync(requests(outer, owner));
		boolean again = holdsAny((name) -> taskHolding(name, outer).isPresent());
		return (this.attribute.terms().isKept() && !again)
				? new MinimumHold(acquisition, this.attribute.terms().holdAtLeast()) : acquisition;
	}

	/** Which registry is asked, or {@code null} if there is only one. */
	@Nullable String registryName() {
		String named = this.attribute.terms().registry();
		return (named != null) ? named : this.registry.registry();
	}

	HeldLock held(LockHandle lock, LockContext outer) {
		return held(lock, outer, holdsAny((name) -> taskHolding(name, outer).isPresent()));
	}

	private HeldLock held(LockHandle lock, LockContext outer, boolean again) {
		return new HeldLock(lock, outer, again ? Duration.ZERO : this.attribute.terms().holdAtLeast());
	}

	private boolean holdsAny(Predicate<String> held) {
		for (String name : this.names) {
			if (held.test(name)) {
				return true;
			}
		}
		return false;
	}

	private Optional<LockHandle> holding(String name, LockContext locks) {
		return locks.holding(name, this.attribute.terms().registry());
	}

	private Optional<LockOwner> taskHolding(String name, LockContext locks) {
		return locks.taskHolding(name, this.attribute.terms().registry());
	}

	private List<LockRequest> requests(LockContext outer, LockOwner owner) {
		return this.names.stream().map((name) -> request(name, outer, owner)).toList();
	}

	/**
	 * Ask for a lock in the name of the task that holds it. If none does, it gets the
	 * given owner, whoever holds the others: branches of that task exclude each other.
	 */
	private LockRequest request(String name, LockContext outer, LockOwner owner) {
		LockOwner holding = taskHolding(name, outer).orElse(owner);
		return this.attribute.terms().request(name, this.attribute.name(), holding, this.permits);
	}

	/**
	 * Begins the work under a lock that was just taken.
	 * @return the end of the work, or {@code null} if it is not fenced
	 */
	LockFence.@Nullable Guard guard(HeldLock lock) {
		return this.attribute.guard(lock.handle());
	}

	/**
	 * Run the method, here and now.
	 */
	@Nullable Object proceed() throws Throwable {
		return this.invocation.proceed();
	}

	/**
	 * Run the method after its caller has gone on, perhaps more than once.
	 */
	@Nullable Object proceedLater() throws Throwable {
		return proceedLater(this.invocation.getArguments().clone());
	}

	/** The same with other arguments. */
	@Nullable Object proceedLater(@Nullable Object[] arguments) throws Throwable {
		if (!(this.invocation instanceof ProxyMethodInvocation proxied)) {
			return proceed();
		}
		// Advice further inside asks for the invocation of its thread.
		return ExposeInvocationInterceptor.INSTANCE.invoke(proxied.invocableClone(arguments));
	}

	/**
	 * Return what the caller gets when the locks were not free in time. Only what
	 * <em>this</em> call's acquisition throws may lead here: the method may run into a
	 * lock of its own that is not free.
	 * @param nothing what stands for no result
	 */
	@Nullable Object withoutLock(LockAcquisitionTimeoutException failure, @Nullable Object nothing) throws Throwable {
		Fallback fallback = this.attribute.fallback();
		if (fallback != null) {
			return fallback.invoke(this.invocation.getThis(), this.invocation.getArguments(), failure);
		}
		if (this.attribute.onTimeout() == OnTimeout.SKIP) {
			return nothing;
		}
		throw failure;
	}

}
