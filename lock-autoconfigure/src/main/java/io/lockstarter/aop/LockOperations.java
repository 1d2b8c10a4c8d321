package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockstarter.annotation.OnTimeout;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Choice of the operation for a method by its return type.
 */
final class LockOperations {

	private static final String DEFERRED = "kotlinx.coroutines.Deferred";

	private static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private static final String JOB = "kotlinx.coroutines.Job";

	/**
	 * Names of types, most of which are missing from the class path.
	 */
	private static final Set<String> LATE_RESULTS = Set.of("java.util.concurrent.CompletionStage",
			"java.util.concurrent.Future", "java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher",
			"io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.SingleSource",
			"io.smallrye.mutiny.Uni", FLOW, JOB);

	/**
	 * Types of results that their receiver computes.
	 */
	static final Set<String> LEFT_TO_OTHERS = Set.of("java.util.stream.BaseStream", "kotlin.sequences.Sequence",
			"kotlinx.coroutines.channels.ReceiveChannel",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

	/** Return types of functions without a result in Kotlin. */
	private static final Set<String> NOTHING = Set.of("void", "Void", "Unit");

	private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	private static final boolean COROUTINES = REACTOR && isPresent("kotlinx.coroutines.reactor.MonoKt")
			&& KotlinDetector.isKotlinReflectPresent();

	private final CallerTransaction transaction;

	LockOperations(CallerTransaction transaction) {
		this.transaction = transaction;
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, LockOperations.class.getClassLoader());
	}

	/**
	 * Chooses the operation for a method.
	 * @throws InvalidLockAnnotationException if there is none, or none that can skip the
	 * method
	 */
	LockOperation choose(Method method, Class<?> targetClass, OnTimeout onTimeout) {
		Class<?> result = GenericTypeResolver.resolveReturnType(method, targetClass);
		if (SuspendFunctions.isOne(method)) {
			return suspending(method, result, onTimeout);
		}
		if (onTimeout == OnTimeout.SKIP) {
			refusePrimitive(method, result);
		}
		if (!isLate(result)) {
			requireNullable(method, onTimeout);
			return new BlockingOperation(result, this.transaction);
		}
		if (Future.class.isAssignableFrom(result) && isAsync(method, targetClass)) {
			return new BlockingOperation.Awaiting(result, this.transaction);
		}
		if (result.isAssignableFrom(CompletableFuture.class)) {
			return new StageOperation();
		}
		return publishing(method, result, onTimeout);
	}

	private static boolean isLate(Class<?> type) {
		return isAnyOf(LATE_RESULTS, type) || isLeftToOthers(type);
	}

	/**
	 * Returns whether the receiver of a result computes it. An application's class that
	 * implements {@code Callable} is an ordinary value.
	 */
	private static boolean isLeftToOthers(Class<?> type) {
		return type == Callable.class || isAnyOf(LEFT_TO_OTHERS, type);
	}

	private static boolean isAnyOf(Set<String> names, @Nullable Class<?> type) {
		return type != null && (names.contains(type.getName()) || isAnyOf(names, type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch((parent) -> isAnyOf(names, parent)));
	}

	private static boolean isAsync(Method method, Class<?> targetClass) {
		return AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
	}

	private static void refusePrimitive(Method method, Class<?> result) {
		if (result.isPrimitive() && result != void.class) {
			throw new InvalidLockAnnotationException(method, "onTimeout",
					"onTimeout = SKIP has no value to return as %s".formatted(result.getName()),
					"return %s instead, which is null when skipped, or use onTimeout = THROW"
						.formatted(ClassUtils.resolvePrimitiveIfNecessary(result).getSimpleName()),
					null);
		}
	}

	/** Rejects skipping a function of Kotlin whose return type is not nullable. */
	private static void requireNullable(Method method, OnTimeout onTimeout) {
		if (onTimeout != OnTimeout.SKIP || !KotlinDetector.isKotlinReflectPresent()
				|| !KotlinDetector.isKotlinType(method.getDeclaringClass())) {
			return;
		}
		MethodParameter result = new MethodParameter(method, -1);
		String type = result.getParameterType().getSimpleName();
		if (!result.isOptional() && !NOTHING.contains(type)) {
			throw new InvalidLockAnnotationException(method, "onTimeout",
					"onTimeout = SKIP has no value to return as %s, which is never null".formatted(type),
					"let the function return %s?, which is null when skipped, or use onTimeout = THROW".formatted(type),
					null);
		}
	}

	/**
	 * Returns the operation of a suspend function, which other advice sees as a publisher
	 * and whose result type Kotlin declares.
	 */
	private LockOperation suspending(Method method, Class<?> result, OnTimeout onTimeout) {
		if (!COROUTINES || !KotlinDetector.isSuspendingFunction(method)) {
			throw new InvalidLockAnnotationException(method, "",
					"a suspend function continues after it has returned, and its end cannot be detected",
					"add the dependencies kotlinx-coroutines-reactor and kotlin-reflect", null);
		}
		refuseLeftToOthers(method, result);
		refuseGoingOn(method, result);
		requireNullable(method, onTimeout);
		return new CoroutineOperation(Reactive.mono(), isAfterTransaction());
	}

	/**
	 * Rejects a suspend function whose result continues after the function has ended.
	 * Spring collects even its flow outside the coroutine.
	 */
	private static void refuseGoingOn(Method method, Class<?> result) {
		if (isLate(result)) {
			String change = isAnyOf(Set.of(JOB), result) ? "" : "declare the function without suspend, or ";
			throw new InvalidLockAnnotationException(method, "",
					"its result (%s) continues after the suspend function has ended and the lock was released"
						.formatted(result.getSimpleName()),
					change + "let the function wait for the end and return the value", null);
		}
	}

	private static void refuseLeftToOthers(Method method, Class<?> result) {
		if (isLeftToOthers(result)) {
			throw new InvalidLockAnnotationException(method, "",
					"its result (%s) is computed by its receiver, after the lock was released"
						.formatted(result.getSimpleName()),
					"return a result that is computed under the lock, such as a List, or declare Object as the result if the"
							+ " rest needs no lock",
					null);
		}
	}

	private LockOperation publishing(Method method, Class<?> result, OnTimeout onTimeout) {
		ReactiveAdapter adapter = REACTOR ? Reactive.adapter(result) : null;
		if (adapter == null) {
			refuseLeftToOthers(method, result);
			throw new InvalidLockAnnotationException(method, "",
					"its result (%s) is completed later, in a way that is not supported"
						.formatted(result.getSimpleName()),
					"return a CompletionStage, CompletableFuture or Future, or with Reactor on the class path a Mono"
							+ " or Flux",
					null);
		}
		if (onTimeout == OnTimeout.SKIP && !adapter.supportsEmpty()) {
			throw new InvalidLockAnnotationException(method, "onTimeout",
					"onTimeout = SKIP has no empty %s to return".formatted(result.getSimpleName()),
					"return a type that may be empty, or use onTimeout = THROW", null);
		}
		return result.getName().equals(FLOW) ? new CoroutineOperation(adapter, isAfterTransaction())
				: new PublisherOperation(adapter, isAfterTransaction());
	}

	private boolean isAfterTransaction() {
		return this.transaction != CallerTransaction.IGNORED;
	}

	/**
	 * Adapters of publishers. Loaded only if Reactor is present.
	 */
	private static final class Reactive {

		/**
		 * Returns the adapter that can create a type, or {@code null}. A Deferred is not
		 * supported, because it continues when its subscription is cancelled.
		 */
		static @Nullable ReactiveAdapter adapter(Class<?> type) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			return (adapter != null && type.isAssignableFrom(adapter.getReactiveType())
					&& !type.getName().equals(DEFERRED)) ? adapter : null;
		}

		/** Returns the adapter of suspend functions. */
		static ReactiveAdapter mono() {
			ReactiveAdapter adapter = adapter(Mono.class);
			if (adapter == null) {
				throw new IllegalStateException("No adapter for Mono");
			}
			return adapter;
		}

	}

}
