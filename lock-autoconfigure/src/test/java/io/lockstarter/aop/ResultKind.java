package io.lockstarter.aop;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What a locked method may return, made of a future and made a future again.
 */
enum ResultKind {

	VALUE("a value", Object.class, ResultKind::join, CompletableFuture::completedFuture),

	VOID("`void`", void.class, (work) -> {
		join(work);
		return null;
	}, CompletableFuture::completedFuture),

	PRIMITIVE("a primitive", int.class, (work) -> ((String) join(work)).length(), CompletableFuture::completedFuture),

	OPTIONAL("`Optional`", Optional.class, (work) -> Optional.of(join(work)),
			(result) -> CompletableFuture.completedFuture(((Optional<?>) result).orElse(null))),

	ASYNC_FUTURE("`Future` of an `@Async` method", Future.class, (work) -> work,
			(result) -> (CompletableFuture<?>) result),

	COMPLETION_STAGE("`CompletionStage`", CompletionStage.class, (work) -> work.minimalCompletionStage(),
			(result) -> (CompletableFuture<?>) result),

	COMPLETABLE_FUTURE("`CompletableFuture`", CompletableFuture.class, (work) -> work,
			(result) -> (CompletableFuture<?>) result),

	FUTURE("`Future`", Future.class, PlainFuture::new,
			(result) -> (result instanceof PlainFuture plain) ? plain.work() : (CompletableFuture<?>) result),

	MONO("`Mono`", Mono.class, Mono::fromFuture, (result) -> ((Mono<?>) result).toFuture()),

	FLUX("`Flux`", Flux.class, (work) -> Mono.fromFuture(work).flux(), (result) -> future((Flux<?>) result)),

	FLOW_PUBLISHER("`Flow.Publisher`", Flow.Publisher.class,
			(work) -> FlowAdapters.toFlowPublisher(Mono.fromFuture(work)),
			(result) -> future(FlowAdapters.toPublisher((Flow.Publisher<?>) result))),

	SINGLE("`Single`", Single.class, (work) -> Single.fromPublisher(Mono.fromFuture(work)),
			(result) -> future(((Single<?>) result).toFlowable())),

	MAYBE("`Maybe`", Maybe.class, (work) -> Maybe.fromPublisher(Mono.fromFuture(work)),
			(result) -> future(((Maybe<?>) result).toFlowable())),

	COMPLETABLE("`Completable`", Completable.class, (work) -> Completable.fromPublisher(Mono.fromFuture(work)),
			(result) -> future(((Completable) result).toFlowable())),

	FLOWABLE("`Flowable`", Flowable.class, (work) -> Flowable.fromPublisher(Mono.fromFuture(work)),
			(result) -> future((Flowable<?>) result)),

	OBSERVABLE("`Observable`", Observable.class, (work) -> Observable.fromPublisher(Mono.fromFuture(work)),
			(result) -> future(((Observable<?>) result).toFlowable(BackpressureStrategy.BUFFER)));

	private final String label;

	private final Class<?> type;

	private final Function<CompletableFuture<Object>, Object> toResult;

	private final Function<Object, CompletableFuture<?>> toFuture;

	ResultKind(String label, Class<?> type, Function<CompletableFuture<Object>, Object> toResult,
			Function<Object, CompletableFuture<?>> toFuture) {
		this.label = label;
		this.type = type;
		this.toResult = toResult;
		this.toFuture = toFuture;
	}

	/**
	 * Completed with the publisher, not with its first element, which may come before.
	 */
	private static CompletableFuture<?> future(Publisher<?> publisher) {
		return Flux.from(publisher).takeLast(1).next().toFuture();
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

	/** What the documentation calls it. */
	String label() {
		return this.label;
	}

	/** What a caller sees of a result. */
	Object seen(String result) {
		return switch (this) {
			case VOID, COMPLETABLE -> null;
			case PRIMITIVE -> result.length();
			default -> result;
		};
	}

	/** Whether a call returns before its lock and its result are there. */
	boolean isLate() {
		return switch (this) {
			case VALUE, VOID, PRIMITIVE, OPTIONAL, ASYNC_FUTURE -> false;
			default -> true;
		};
	}

	/** Whether there is something to return instead of a result. */
	boolean canBeSkipped() {
		return this != PRIMITIVE && this != SINGLE;
	}

	/** Who waits for the lock, as the documentation has it. */
	String waits() {
		return isLate() ? "no thread waits" : "thread waits";
	}

	/** How a call fails, as the documentation has it. */
	String fails() {
		return switch (this) {
			case VALUE, VOID, PRIMITIVE, OPTIONAL -> "exception";
			case ASYNC_FUTURE, COMPLETION_STAGE, COMPLETABLE_FUTURE, FUTURE -> "failed";
			default -> "error";
		};
	}

	/** What a skipped call returns, as the documentation has it. */
	String skipped() {
		return switch (this) {
			case VOID -> "returns";
			case PRIMITIVE, SINGLE -> "refused";
			case VALUE, ASYNC_FUTURE, COMPLETION_STAGE, COMPLETABLE_FUTURE, FUTURE -> "`null`";
			default -> "empty";
		};
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
