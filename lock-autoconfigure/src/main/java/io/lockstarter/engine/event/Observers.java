package io.lockstarter.engine.event;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Composite of all observers, which never throws.
 */
final class Observers implements LockObserver {

	private static final LockLog logger = LockLog.of(Observers.class);

	private final List<LockObserver> observers;

	Observers(List<LockObserver> observers) {
		this.observers = List.copyOf(observers);
	}

	/** Returns whether there are no observers. */
	boolean isEmpty() {
		return this.observers.isEmpty();
	}

	@Override
	public @Nullable Wait requested(LockRequest request) {
		List<Wait> waits = collect(this.observers, (observer) -> observer.requested(request));
		return waits.isEmpty() ? null : new Waits(waits);
	}

	private static <T, R> List<R> collect(List<T> from, Function<T, @Nullable R> part) {
		List<R> parts = List.of();
		for (T each : from) {
			R one = guarded(each, part);
			if (one != null) {
				// Usually there is at most one.
				parts = parts.isEmpty() ? List.of(one) : Stream.concat(parts.stream(), Stream.of(one)).toList();
			}
		}
		return parts;
	}

	private static <T> void publish(List<T> all, Consumer<T> event) {
		all.forEach((each) -> guarded(each, (it) -> {
			event.accept(it);
			return null;
		}));
	}

	private static <T, R> @Nullable R guarded(T observer, Function<T, @Nullable R> step) {
		try {
			return step.apply(observer);
		}
		catch (Throwable ex) {
			logger.error("Lock observer of type " + observer.getClass().getName() + " failed", ex);
			return null;
		}
	}

	private record Waits(List<Wait> all) implements Wait {

		@Override
		public @Nullable Span acquired(LockHandle lock) {
			List<Span> spans = collect(this.all, (wait) -> wait.acquired(lock));
			return spans.isEmpty() ? null : new Spans(spans);
		}

		@Override
		public void notAcquired(LockListener.Outcome outcome, @Nullable Throwable cause) {
			publish(this.all, (wait) -> wait.notAcquired(outcome, cause));
		}

	}

	private record Spans(List<Span> all) implements Span {

		@Override
		public void released() {
			publish(this.all, Span::released);
		}

		@Override
		public void lost(LockLoss loss) {
			publish(this.all, (span) -> span.lost(loss));
		}

	}

}
