package io.lockstarter.aop;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockType;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.InvocationHandlerAdapter;

import org.springframework.scheduling.annotation.Async;

/**
 * A bean with a method of some return type and annotation, whose work the test ends.
 */
final class LockedMethod {

	/** The work of the method, done when the test completes it. */
	final CompletableFuture<Object> work = new CompletableFuture<>();

	/** The lock under which the method runs, once it does. */
	final CompletableFuture<LockHandle> started = new CompletableFuture<>();

	final AtomicInteger runs = new AtomicInteger();

	private final ResultKind kind;

	private final Object bean;

	private final Method method;

	LockedMethod(LockedBeans beans, ResultKind kind, Map<String, Object> attributes) {
		this.kind = kind;
		try {
			this.bean = beans.bean(type(attributes));
			this.method = this.bean.getClass().getMethod("run", String.class, String.class);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Class<?> type(Map<String, Object> attributes) {
		AnnotationDescription.Builder lock = AnnotationDescription.Builder.ofType(DistributedLock.class);
		for (Map.Entry<String, Object> attribute : attributes.entrySet()) {
			lock = define(lock, attribute.getKey(), attribute.getValue());
		}
		AnnotationDescription[] annotations = (this.kind != ResultKind.ASYNC_FUTURE)
				? new AnnotationDescription[] { lock.build() } : new AnnotationDescription[] { lock.build(),
						AnnotationDescription.Builder.ofType(Async.class).build() };
		return new ByteBuddy().subclass(Object.class)
			.name(LockedMethod.class.getName() + "$" + this.kind + System.identityHashCode(this))
			.defineMethod("run", this.kind.type(), Visibility.PUBLIC)
			.withParameter(String.class, "from")
			.withParameter(String.class, "to")
			.intercept(InvocationHandlerAdapter.of((proxy, method, arguments) -> run()))
			.annotateMethod(annotations)
			.defineMethod("instead", this.kind.type(), Visibility.PRIVATE)
			.withParameters(String.class, String.class, LockAcquisitionTimeoutException.class)
			.intercept(InvocationHandlerAdapter.of((proxy, method, arguments) -> instead(arguments)))
			.make()
			.load(getClass().getClassLoader(), ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
			.getLoaded();
	}

	private static AnnotationDescription.Builder define(AnnotationDescription.Builder lock, String name, Object value) {
		if (value instanceof LockType type) {
			return lock.define(name, type);
		}
		if (value instanceof Boolean choice) {
			return lock.define(name, choice);
		}
		return (value instanceof OnTimeout onTimeout) ? lock.define(name, onTimeout)
				: lock.define(name, (String) value);
	}

	private Object run() {
		this.runs.incrementAndGet();
		this.started.complete(LockContext.find().orElse(null));
		return this.kind.toResult(this.work);
	}

	private Object instead(Object[] arguments) {
		String failure = ((LockAcquisitionTimeoutException) arguments[2]).lockName();
		return this.kind.toResult(CompletableFuture
			.completedFuture("instead of %s-%s: %s".formatted(arguments[0], arguments[1], failure)));
	}

	/** Call the method, on another thread where the caller waits for it. */
	CompletableFuture<Object> call() {
		if (this.kind.isLate()) {
			return callHere();
		}
		return CompletableFuture.supplyAsync(this::callHere, (task) -> new Thread(task).start())
			.thenCompose((result) -> result);
	}

	private CompletableFuture<Object> callHere() {
		try {
			Object result = this.method.invoke(this.bean, "a", "b");
			return (result != null) ? this.kind.toFuture(result) : CompletableFuture.completedFuture(null);
		}
		catch (InvocationTargetException ex) {
			throw new CompletionException(ex.getCause());
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
