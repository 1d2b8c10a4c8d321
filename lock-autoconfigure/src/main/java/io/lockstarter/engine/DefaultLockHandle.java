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
 * One entry into a hold, as its owner sees it.
 */
final class DefaultLockHandle implements LockHandle {

	private static final LockLog logger = LockLog.of(DefaultLockHandle.class);

	/** By this a release that is due may come late before the lease ends. */
	static final Duration LATEST_RELEASE = Duration.ofSeconds(1);

	private final Hold hold;

	private final Completions completions;

	/** What it was told if it outlives its thread. */
	private volatile @Nullable BooleanSupplier outlived;

	private final AtomicBoolean closed = new AtomicBoolean();

	private volatile @Nullable Executor callerContext;

	DefaultLockHandle(Hold hold, Completions completions) {
		this.hold = hold;
		this.completions = completions;
	}

	/** What belongs to the thread that has asked for it, and does not own it. */
	void callerContext(Executor context) {
		this.callerContext = context;
	}

	/** From now on the hold is accompanied by what observes it. */
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
		CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();
		Executor context = context();
		extended.whenComplete((reply, failure) -> {
			Runnable tell = () -> {
				if (failure == null) {
					settled.complete(null);
				}
				else {
					settled.completeExceptionally(extensionFailure(this.hold, failure));
				}
			};
			this.completions.run(() -> context.execute(tell), (refusal) -> tell.run());
		});
		return settled.minimalCompletionStage();
	}

	/** Make the lease of a hold last longer, waiting for the backend. */
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
		CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();
		this.completions.completeRelease(settled, release(), context());
		return settled.minimalCompletionStage();
	}

	/** Whatever belongs to who asked for the lock belongs to who hears of its end. */
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
		CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();
		Executor context = context();
		this.hold.kept().begin(delay);
		this.completions.timer().in(delay.toNanos(), () -> {
			this.hold.kept().end();
			release(this::release, settled, context);
		});
		outlive(delay);
		return settled.minimalCompletionStage();
	}

	@Override
	public void outliveThread(BooleanSupplier again) {
		if (owner().thread() != null && this.outlived == null) {
			this.outlived = again;
			this.hold.lock().outliveThread(this.hold, again);
		}
	}

	/**
	 * Release without waiting. Nobody would do it again where it fails for want of
	 * memory: so it is tried until it is done.
	 */
	private void release(Supplier<CompletableFuture<Runnable>> release, CompletableFuture<@Nullable Void> settled,
			Executor context) {
		CompletableFuture<Runnable> released;
		try {
			released = release.get();
		}
		catch (RuntimeException ex) {
			released = CompletableFuture.failedFuture(ex);
		}
		catch (Error ex) {
			logger.debug("Lock '%s' could not be released yet".formatted(OneLine.of(name())), ex);
			this.closed.set(false);
			this.completions.later(() -> release(release, settled, context));
			return;
		}
		this.completions.completeRelease(settled, released, context);
	}

	/** Without an extension the lock is kept by its renewal, while this JVM lives. */
	private void outlive(Duration delay) {
		Duration needed = delay.plus(LATEST_RELEASE);
		if (remainingLease().compareTo(needed) >= 0) {
			return;
		}
		try {
			this.hold.lock().extend(this.hold, needed).whenComplete((nothing, failure) -> {
				if (failure != null) {
					keptWithoutExtension(delay, failure);
				}
			});
		}
		catch (RuntimeException ex) {
			keptWithoutExtension(delay, ex);
		}
	}

	private void keptWithoutExtension(Duration delay, Throwable failure) {
		logger.debug("Lock '%s' is kept for another %s without an extended lease".formatted(OneLine.of(name()), delay),
				failure);
	}

	/** Release a hold that nobody was given, from whatever thread, without waiting. */
	CompletableFuture<?> abandon() {
		CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();
		// Fails if its owner has released it by other means.
		release(this::abandoned, settled, Runnable::run);
		return settled;
	}

	/** The same for one that listeners were not told of either. */
	void abandonUntold() {
		release(() -> abandoned().thenApply((news) -> DefaultLockHandle::noNews), new CompletableFuture<>(),
				Runnable::run);
	}

	/**
	 * Begin to release a hold that nobody was given, from whatever thread.
	 * @return waits for the release, and tells of it
	 */
	Runnable givingBack() {
		CompletableFuture<Runnable> released = abandoned();
		return () -> Completions.awaitRelease(released);
	}

	private static void noNews() {
		// Nobody has heard of the hold.
	}

	private CompletableFuture<Runnable> abandoned() {
		if (!this.closed.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(DefaultLockHandle::noNews);
		}
		return this.hold.lock().release(this.hold, this.outlived);
	}

	@Override
	public void close() {
		this.completions.endRelease(release(), this::context);
	}

	/**
	 * Begin to close.
	 * @return waits for the release, and tells of it
	 */
	Runnable closing() {
		CompletableFuture<Runnable> released = release();
		return () -> this.completions.endRelease(released, this::context);
	}

	private CompletableFuture<Runnable> release() {
		Thread thread = owner().thread();
		if (thread != null && thread != Thread.currentThread() && this.outlived == null) {
			throw new LockNotHeldException(this.hold.request(), LockOwner.currentThread());
		}
		if (!this.closed.compareAndSet(false, true)) {
			throw new LockNotHeldException(this.hold.request(), owner());
		}
		return this.hold.lock().release(this.hold, this.outlived);
	}

	@Override
	public String toString() {
		String registry = (registry() != null) ? " of registry '%s'".formatted(registry()) : "";
		return String.format(Locale.ROOT, "lock '%s'%s held by %s, token %d%s", OneLine.of(name()), registry,
				OneLine.of(owner().toString()), fencingToken(), isValid() ? "" : " (no longer valid)");
	}

}
