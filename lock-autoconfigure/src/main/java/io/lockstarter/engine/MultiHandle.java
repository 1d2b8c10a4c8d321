package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import io.lockstarter.core.OneLine;
import org.jspecify.annotations.Nullable;

/**
 * Handle of several locks that were acquired together.
 */
final class MultiHandle implements LockHandle {

	private final List<LockHandle> parts;

	MultiHandle(List<LockHandle> parts) {
		this.parts = List.copyOf(parts);
	}

	@Override
	public List<LockHandle> parts() {
		return this.parts;
	}

	@Override
	public String name() {
		return this.parts.stream().map(LockHandle::name).collect(Collectors.joining(", "));
	}

	@Override
	public String metricName() {
		return this.parts.get(0).metricName();
	}

	@Override
	public @Nullable String registry() {
		return this.parts.get(0).registry();
	}

	@Override
	public LockType type() {
		return this.parts.get(0).type();
	}

	@Override
	public int permits() {
		return this.parts.get(0).permits();
	}

	@Override
	public LockOwner owner() {
		return this.parts.get(0).owner();
	}

	@Override
	public long fencingToken() {
		throw new UnsupportedOperationException(
				"Locks '%s' have a fencing token each: ask the handles in parts() for the one that the resource knows"
					.formatted(OneLine.of(name())));
	}

	@Override
	public boolean isValid() {
		return this.parts.stream().allMatch(LockHandle::isValid);
	}

	@Override
	public Duration remainingLease() {
		return this.parts.stream().map(LockHandle::remainingLease).min(Duration::compareTo).orElseThrow();
	}

	@Override
	public CompletionStage<@Nullable Void> extendAsync(Duration lease) {
		return CompletableFuture
			.allOf(this.parts.stream()
				.map((part) -> part.extendAsync(lease).toCompletableFuture())
				.toArray(CompletableFuture[]::new))
			.<@Nullable Void>thenApply((all) -> null);
	}

	@Override
	public void extend(Duration lease) {
		this.parts.forEach((part) -> part.extend(lease));
	}

	@Override
	public CompletionStage<@Nullable Void> releaseAsync() {
		return releaseAll(LockHandle::releaseAsync);
	}

	@Override
	public CompletionStage<@Nullable Void> releaseAfter(Duration delay) {
		return releaseAll((part) -> part.releaseAfter(delay));
	}

	@Override
	public void detachFromThread(BooleanSupplier again) {
		this.parts.forEach((part) -> part.detachFromThread(again));
	}

	private CompletionStage<@Nullable Void> releaseAll(Function<LockHandle, CompletionStage<@Nullable Void>> release) {
		List<CompletableFuture<@Nullable Void>> releases = new ArrayList<>();
		Throwable failure = each(reversed(this.parts),
				(part) -> releases.add(release.apply(part).toCompletableFuture()));
		if (failure != null) {
			releases.add(CompletableFuture.failedFuture(failure));
		}
		CompletableFuture<@Nullable Void> promise = new CompletableFuture<>();
		CompletableFuture.allOf(releases.toArray(CompletableFuture[]::new)).whenComplete((nothing, first) -> {
			if (first != null) {
				promise.completeExceptionally((first.getCause() != null) ? first.getCause() : first);
			}
			else {
				promise.complete(null);
			}
		});
		return promise.minimalCompletionStage();
	}

	@Override
	public void close() {
		Throwable failure = together(this.parts, DefaultLockHandle::closing);
		if (failure instanceof RuntimeException unchecked) {
			throw unchecked;
		}
		if (failure instanceof Error error) {
			throw error;
		}
	}

	/**
	 * Releases the locks that were acquired before a failure, regardless of their owner.
	 */
	static void releaseUnused(List<LockHandle> taken, Throwable cause) {
		Throwable failure = together(taken, DefaultLockHandle::releasingUnused);
		if (failure != null) {
			cause.addSuppressed(failure);
		}
	}

	/**
	 * Begins to release all locks in reverse order, and then waits for each release.
	 * @return the first failure, in the order of release
	 */
	private static @Nullable Throwable together(List<LockHandle> parts, Function<DefaultLockHandle, Runnable> release) {
		List<Runnable> begun = new ArrayList<>();
		for (LockHandle part : reversed(parts)) {
			begun.add(begin((DefaultLockHandle) part, release));
		}
		return each(begun, Runnable::run);
	}

	/**
	 * Begins a release. The returned action throws the exception if the release cannot
	 * begin.
	 */
	private static Runnable begin(DefaultLockHandle part, Function<DefaultLockHandle, Runnable> release) {
		try {
			return release.apply(part);
		}
		catch (RuntimeException ex) {
			return () -> {
				throw ex;
			};
		}
		catch (Error ex) {
			return () -> {
				throw ex;
			};
		}
	}

	private static List<LockHandle> reversed(List<LockHandle> parts) {
		List<LockHandle> reversed = new ArrayList<>(parts);
		Collections.reverse(reversed);
		return reversed;
	}

	/** Applies an action to all elements, and returns the first failure. */
	private static <T> @Nullable Throwable each(List<T> all, Consumer<T> action) {
		Throwable first = null;
		for (T one : all) {
			try {
				action.accept(one);
			}
			catch (RuntimeException | Error ex) {
				if (first == null) {
					first = ex;
				}
				else {
					first.addSuppressed(ex);
				}
			}
		}
		return first;
	}

	@Override
	public String toString() {
		return this.parts.toString();
	}

}
