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
 * Call of an annotated method.
 *
 * @param attribute the attribute of the method
 * @param names the names of the locks that it needs
 * @param permits the number of owners that may hold each of them at a time
 * @param invocation the rest of the interceptor chain
 * @param registry the registry of the locks
 */
record LockCall(LockAttribute attribute, List<String> names, int permits, MethodInvocation invocation,
		LockRegistry registry) {

	/**
	 * Acquires the locks on the calling thread, which waits for them and owns them. A
	 * lock that is held longer than the method does not belong to the thread, because the
	 * thread could re-enter it in the meantime. A lock of the task that the thread works
	 * for does not belong to the thread either.
	 * @param outer the locks under which the thread runs
	 */
	HeldLock acquire(LockContext outer) throws InterruptedException {
		boolean again = holdsAny((name) -> holding(name, outer).isPresent());
		LockOwner owner = (this.attribute.options().hasMinimumHold() && !again)
				? LockOwner.create(Thread.currentThread().getName()) : LockOwner.currentThread();
		LockHandle lock = (this.names.size() == 1) ? this.registry.acquire(request(this.names.get(0), outer, owner))
				: this.registry.acquireAll(requests(outer, owner));
		if (!again) {
			MinimumHold.cover(lock, this.attribute.options().holdAtLeast());
		}
		return held(lock, outer, again);
	}

	/**
	 * Acquires the locks without blocking. Locks that the surrounding task holds are
	 * re-entered by their owner. Locks that only the thread holds are not re-entered,
	 * because the new task may outlast the thread's work.
	 */
	CompletableFuture<LockHandle> acquireAsync(LockContext outer) {
		LockOwner owner = LockOwner.create(this.attribute.name());
		CompletableFuture<LockHandle> acquisition = (this.names.size() == 1)
				? this.registry.acquireAsync(request(this.names.get(0), outer, owner))
				: this.registry.acquireAllAsync(requests(outer, owner));
		boolean again = holdsAny((name) -> taskHolding(name, outer).isPresent());
		return (this.attribute.options().hasMinimumHold() && !again)
				? new MinimumHold(acquisition, this.attribute.options().holdAtLeast()) : acquisition;
	}

	/** Returns the name of the registry, or {@code null} if there is only one. */
	@Nullable String registryName() {
		String named = this.attribute.options().registry();
		return (named != null) ? named : this.registry.registry();
	}

	HeldLock held(LockHandle lock, LockContext outer) {
		return held(lock, outer, holdsAny((name) -> taskHolding(name, outer).isPresent()));
	}

	private HeldLock held(LockHandle lock, LockContext outer, boolean again) {
		return new HeldLock(lock, outer, again ? Duration.ZERO : this.attribute.options().holdAtLeast());
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
		return locks.holding(name, this.attribute.options().registry());
	}

	private Optional<LockOwner> taskHolding(String name, LockContext locks) {
		return locks.taskHolding(name, this.attribute.options().registry());
	}

	private List<LockRequest> requests(LockContext outer, LockOwner owner) {
		return this.names.stream().map((name) -> request(name, outer, owner)).toList();
	}

	/**
	 * Creates a request for the owner of the task that holds the lock, or else for the
	 * given owner, even if that task holds the other locks: branches of the task exclude
	 * each other.
	 */
	private LockRequest request(String name, LockContext outer, LockOwner owner) {
		LockOwner holding = taskHolding(name, outer).orElse(owner);
		return this.attribute.options().request(name, this.attribute.name(), holding, this.permits);
	}

	/**
	 * Begins fenced work under a lock that was just acquired.
	 * @return the guard of the work, or {@code null} if the method is not fenced
	 */
	LockFence.@Nullable Guard guard(HeldLock lock) {
		return this.attribute.guard(lock.handle());
	}

	/**
	 * Runs the method on the calling thread.
	 */
	@Nullable Object proceed() throws Throwable {
		return this.invocation.proceed();
	}

	/**
	 * Runs the method after its caller has continued. May be called more than once.
	 */
	@Nullable Object proceedLater() throws Throwable {
		return proceedLater(this.invocation.getArguments().clone());
	}

	/**
	 * Runs the method with other arguments, after its caller has continued. May be called
	 * more than once.
	 */
	@Nullable Object proceedLater(@Nullable Object[] arguments) throws Throwable {
		if (!(this.invocation instanceof ProxyMethodInvocation proxied)) {
			return proceed();
		}
		// Inner advice reads the invocation that is exposed to its thread.
		return ExposeInvocationInterceptor.INSTANCE.invoke(proxied.invocableClone(arguments));
	}

	/**
	 * Returns the result of a call whose locks were not acquired in time. Must be called
	 * only for an exception of <em>this</em> call's acquisition, because the method may
	 * fail to acquire a lock of its own.
	 * @param nothing the value that stands for no result
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
