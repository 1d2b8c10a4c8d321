package io.lockstarter.engine;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import io.lockstarter.core.OneLine;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lock.Hold;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Handle of one entry of a hold.
 */
final class DefaultLockHandle implements LockHandle {

	private static final LockLog logger = LockLog.of(DefaultLockHandle.class);

	/** Safety margin for late releases: 1 s. */
	static final Duration LATEST_RELEASE = Duration.ofSeconds(1);

	private final Hold hold;

	private final Completions completions;

	/**
	 * Re-entry condition of the detached entry, or {@code null} while the entry belongs
	 * to its thread.
	 */
	private volatile @Nullable BooleanSupplier reentry;

	private final AtomicBoolean closed = new AtomicBoolean();

	private volatile @Nullable Executor callerContext;

	DefaultLockHandle(Hold hold, Completions completions) {
		this.hold = hold;
		this.completions = completions;
	}

	/**
	 * Sets the context of the requesting thread, if that thread does not own the lock.
	 */
	void callerContext(Executor context) {
		this.callerContext = context;
	}

	/** Begins to observe the hold. */
	void observe(LockObserver.Span span) {
		this.hold.span().begin(span, this.hold.loss());
	}

	@Override
	public String name() {
		return this.hold.request().name();
	}

	@Override
	public String metricName() {
		return this.hold.request().metricName();
	}

	@Override
	public @Nullable String registry() {
		return this.hold.request().registry();
	}

	@Override
	public LockType type() {
		return this.hold.request().type();
	}

	@Override
	public int permits() {
		return this.hold.request().permits();
	}

	@Override
	public LockOwner owner() {
		return this.hold.owner();
	}

	@Override
	public long fencingToken() {
		return this.hold.token();
	}

	@Override
	public boolean isValid() {
		return !this.closed.get() && this.hold.isValid();
	}

	@Override
	public Duration remainingLease() {
		return this.closed.get() ? Duration.ZERO : this.hold.remainingLease();
	}

	@Override
	public void extend(Duration lease) {
		if (this.closed.get()) {
			throw this.hold.gone();
		}
		extend(this.hold, lease);
	}

	@Override
	public CompletionStage<@Nullable Void> extendAsync(Duration lease) {
		CompletableFuture<?> extended;
		try {
			extended = this.closed.get() ? CompletableFuture.failedFuture(this.hold.gone())
					: this.hold.lock().extend(this.hold, lease);
		}
		catch (RuntimeException ex) {
			extended = CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<@Nullable Void> promise = new CompletableFuture<>();
		Executor context = context();
		extended.whenComplete((reply, failure) -> {
			Runnable completion = () -> {
				if (failure == null) {
					promise.complete(null);
				}
				else {
					promise.completeExceptionally(extensionFailure(this.hold, failure));
				}
			};
			this.completions.run(() -> context.execute(completion), (refusal) -> completion.run());
		});
		return promise.minimalCompletionStage();
	}

	/**
	 * Extends the lease of a hold, and blocks until the backend has confirmed the
	 * extension.
	 */
	static void extend(Hold hold, Duration lease) {
		try {
			hold.lock().extend(hold, lease).join();
		}
		catch (CompletionException | CancellationException ex) {
			throw extensionFailure(hold, ex);
		}
	}

	private static RuntimeException extensionFailure(Hold hold, Throwable failure) {
		Throwable cause = Commands.cause(failure);
		if (cause instanceof LockLostException lost) {
			return new LockLostException(lost);
		}
		if (cause instanceof LockNotHeldException) {
			return new LockNotHeldException(hold.request(), hold.owner());
		}
		return Commands.translate(hold.request().name(), failure);
	}

	@Override
	public CompletionStage<@Nullable Void> releaseAsync() {
		CompletableFuture<@Nullable Void> promise = new CompletableFuture<>();
		this.completions.completeRelease(promise, release(), context());
		return promise.minimalCompletionStage();
	}

	/**
	 * Returns the context in which the completion of a release runs: that of the
	 * asynchronous request, or that of the calling thread.
	 */
	private Executor context() {
		Executor caller = this.callerContext;
		return (caller != null) ? caller : this.completions.context();
	}

	@Override
	public CompletionStage<@Nullable Void> releaseAfter(Duration delay) {
		if (owner().thread() != null) {
			throw new IllegalStateException(
					"Lock '%s' belongs to a thread and can be released only by it: acquire it with an explicit LockOwner"
						.formatted(OneLine.of(name())));
		}
		CompletableFuture<@Nullable Void> promise = new CompletableFuture<>();
		Executor context = context();
		this.hold.delayedReleases().begin(delay);
		this.completions.timer().in(delay.toNanos(), () -> {
			this.hold.delayedReleases().end();
			release(this::release, promise, context);
		});
		extendFor(delay);
		return promise.minimalCompletionStage();
	}

	@Override
	public void detachFromThread(BooleanSupplier again) {
		if (owner().thread() != null && this.reentry == null) {
			this.reentry = again;
			this.hold.lock().detach(this.hold, again);
		}
	}

	/**
	 * Releases the entry without blocking. If memory is exhausted, the release is retried
	 * until it succeeds, because no caller would retry it.
	 */
	private void release(Supplier<CompletableFuture<Runnable>> release, CompletableFuture<@Nullable Void> promise,
			Executor context) {
		CompletableFuture<Runnable> released;
		try {
			released = release.get();
		}
		catch (RuntimeException ex) {
			released = CompletableFuture.failedFuture(ex);
		}
		catch (Error ex) {
			logger.debug("Releasing lock '%s' failed; the release is retried".formatted(OneLine.of(name())), ex);
			this.closed.set(false);
			this.completions.later(() -> release(release, promise, context));
			return;
		}
		this.completions.completeRelease(promise, released, context);
	}

	/**
	 * Extends the lease until after the delayed release. If the extension fails, the
	 * renewal keeps the lock while this JVM is alive.
	 */
	private void extendFor(Duration delay) {
		Duration needed = delay.plus(LATEST_RELEASE);
		if (remainingLease().compareTo(needed) >= 0) {
			return;
		}
		try {
			this.hold.lock().extend(this.hold, needed).whenComplete((nothing, failure) -> {
				if (failure != null) {
					heldWithoutExtension(delay, failure);
				}
			});
		}
		catch (RuntimeException ex) {
			heldWithoutExtension(delay, ex);
		}
	}

	private void heldWithoutExtension(Duration delay, Throwable failure) {
		logger.debug("The lease of lock '%s' was not extended; its renewal holds the lock for another %s"
			.formatted(OneLine.of(name()), delay), failure);
	}

	/**
	 * Releases a hold that was not delivered to a caller, on any thread, without
	 * blocking.
	 */
	CompletableFuture<?> abandon() {
		CompletableFuture<@Nullable Void> promise = new CompletableFuture<>();
		// The promise fails if the owner has already released the hold.
		release(this::abandoned, promise, Runnable::run);
		return promise;
	}

	/**
	 * Releases a hold that was neither delivered to a caller nor announced to listeners.
	 */
	void abandonSilently() {
		release(() -> abandoned().thenApply((notification) -> DefaultLockHandle::noNotification),
				new CompletableFuture<>(), Runnable::run);
	}

	/**
	 * Begins to release a hold that was not delivered to a caller, on any thread.
	 * @return an action that waits for the release and notifies listeners
	 */
	Runnable releasingUnused() {
		CompletableFuture<Runnable> released = abandoned();
		return () -> Completions.awaitRelease(released);
	}

	private static void noNotification() {
		// Listeners were not notified of the hold.
	}

	private CompletableFuture<Runnable> abandoned() {
		if (!this.closed.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(DefaultLockHandle::noNotification);
		}
		return this.hold.lock().release(this.hold, this.reentry);
	}

	@Override
	public void close() {
		this.completions.endRelease(release(), this::context);
	}

	/**
	 * Begins to close the handle.
	 * @return an action that waits for the release and notifies listeners
	 */
	Runnable closing() {
		CompletableFuture<Runnable> released = release();
		return () -> this.completions.endRelease(released, this::context);
	}

	private CompletableFuture<Runnable> release() {
		Thread thread = owner().thread();
		if (thread != null && thread != Thread.currentThread() && this.reentry == null) {
			throw new LockNotHeldException(this.hold.request(), LockOwner.currentThread());
		}
		if (!this.closed.compareAndSet(false, true)) {
			throw new LockNotHeldException(this.hold.request(), owner());
		}
		return this.hold.lock().release(this.hold, this.reentry);
	}

	@Override
	public String toString() {
		String registry = (registry() != null) ? " of registry '%s'".formatted(registry()) : "";
		return String.format(Locale.ROOT, "lock '%s'%s held by %s, token %d%s", OneLine.of(name()), registry,
				OneLine.of(owner().toString()), fencingToken(), isValid() ? "" : " (no longer valid)");
	}

}
