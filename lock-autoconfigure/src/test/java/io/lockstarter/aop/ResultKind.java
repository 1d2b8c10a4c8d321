package io.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.reactivestreams.FlowAdapters;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What a locked method may return, made of a future and made a future again.
 */
enum ResultKind {

	VALUE(Object.class, ResultKind::join, CompletableFuture::completedFuture),

	ASYNC_FUTURE(Future.class, (work) -> work, (result) -> (CompletableFuture<?>) result),

	COMPLETION_STAGE(CompletionStage.class, (work) -> work.minimalCompletionStage(),
			(result) -> (CompletableFuture<?>) result),

	COMPLETABLE_FUTURE(CompletableFuture.class, (work) -> work, (result) -> (CompletableFuture<?>) result),

	FUTURE(Future.class, PlainFuture::new,
			(result) -> (result instanceof PlainFuture plain) ? plain.work() : (CompletableFuture<?>) result),

	MONO(Mono.class, Mono::fromFuture, (result) -> ((Mono<?>) result).toFuture()),

	FLUX(Flux.class, (work) -> Mono.fromFuture(work).flux(), (result) -> ((Flux<?>) result).next().toFuture()),

	FLOW_PUBLISHER(Flow.Publisher.class, (work) -> FlowAdapters.toFlowPublisher(Mono.fromFuture(work)),
			(result) -> Flux.from(FlowAdapters.toPublisher((Flow.Publisher<?>) result)).singleOrEmpty().toFuture());

	private final Class<?> type;

	private final Function<CompletableFuture<Object>, Object> toResult;

	private final Function<Object, CompletableFuture<?>> toFuture;

	ResultKind(Class<?> type, Function<CompletableFuture<Object>, Object> toResult,
			Function<Object, CompletableFuture<?>> toFuture) {
		this.type = type;
		this.toResult = toResult;
		this.toFuture = toFuture;
	}

	private static Object join(CompletableFuture<Object> work) {
		try {
			return work.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException business) ? business : ex;
		}
	}

	Class<?> type() {
		return this.type;
	}

	Object toResult(CompletableFuture<Object> work) {
		return this.toResult.apply(work);
	}

	@SuppressWarnings("unchecked")
	CompletableFuture<Object> toFuture(Object result) {
		return (CompletableFuture<Object>) this.toFuture.apply(result);
	}

	/** Whether a call returns before its lock and its result are there. */
	boolean isLate() {
		return this != VALUE && this != ASYNC_FUTURE;
	}

	/**
	 * A future that tells nobody when it is done.
	 *
	 * @param work the future behind it
	 */
	private record PlainFuture(CompletableFuture<Object> work) implements Future<Object> {

		@Override
		public boolean cancel(boolean interrupt) {
			return this.work.cancel(interrupt);
		}

		@Override
		public boolean isCancelled() {
			return this.work.isCancelled();
		}

		@Override
		public boolean isDone() {
			return this.work.isDone();
		}

		@Override
		public Object get() throws InterruptedException, ExecutionException {
			return this.work.get();
		}

		@Override
		public Object get(long timeout, TimeUnit unit)
				throws InterruptedException, ExecutionException, TimeoutException {
			return this.work.get(timeout, unit);
		}

	}

}
