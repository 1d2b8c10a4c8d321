package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.ParseException;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads the annotation of one method into an attribute, refusing what can never work.
 */
final class LockAnnotationReader {

	/**
	 * By name, because most of them are not on the class path.
	 */
	private static final Set<String> LATE_RESULTS = Set.of("java.util.concurrent.CompletionStage",
			"java.util.concurrent.Future", "java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher",
			"io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.SingleSource",
			"io.smallrye.mutiny.Uni", "kotlinx.coroutines.Deferred", "kotlinx.coroutines.flow.Flow");

	private static final String SUSPEND_PARAMETER = "kotlin.coroutines.Continuation";

	private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

	/** The shortest that the registry grants. */
	static final Duration SHORTEST_LEASE = Duration.ofMillis(20);

	/** Keeps sums of times within the range of a nanosecond clock. */
	private static final Duration LONGEST = Duration.ofDays(365);

	private final DistributedLock annotation;

	private final Object source;

	private final Method invoked;

	private final Method method;

	private final Class<?> targetClass;

	private final StringValueResolver placeholders;

	/**
	 * Prepare for one method.
	 * @param annotation the annotation in force
	 * @param invoked the method that callers see, perhaps of an interface
	 * @param method the method that runs
	 * @param targetClass the class of the bean
	 * @param placeholders resolves {@code ${…}}
	 */
	LockAnnotationReader(MergedAnnotation<DistributedLock> annotation, Method invoked, Method method,
			Class<?> targetClass, StringValueResolver placeholders) {
		Object source = annotation.getSource();
		this.annotation = annotation.synthesize();
		this.source = (source != null) ? source : method;
		this.invoked = invoked;
		this.method = method;
		this.targetClass = targetClass;
		this.placeholders = placeholders;
	}

	LockAttribute read() {
		refuseMethodOutOfReach();
		refuseLateResult();
		refuseSkippingPrimitive();
		return new LockAttribute(this.method, name(), key(), waitTime(), leaseTime(), this.annotation.onFailure(),
				interruptible());
	}

	private void refuseMethodOutOfReach() {
		String obstacle = obstacle(this.method.getModifiers());
		if (obstacle != null) {
			throw invalid("", "a %s method is not called through the bean's proxy and would run without the lock"
				.formatted(obstacle), "make it an overridable method of the bean, or take the annotation away", null);
		}
	}

	private @Nullable String obstacle(int modifiers) {
		if (Modifier.isPrivate(modifiers)) {
			return "private";
		}
		if (Modifier.isStatic(modifiers)) {
			return "static";
		}
		return (Modifier.isFinal(modifiers) && !Proxy.isProxyClass(this.targetClass)) ? "final" : null;
	}

	private void refuseLateResult() {
		Class<?>[] parameters = this.method.getParameterTypes();
		boolean suspends = parameters.length > 0
				&& parameters[parameters.length - 1].getName().equals(SUSPEND_PARAMETER);
		Class<?> result = GenericTypeResolver.resolveReturnType(this.method, this.targetClass);
		if (suspends || isLate(result)) {
			throw invalid("",
					"the lock holds only until the method returns, but %s"
						.formatted(suspends ? "a suspend function goes on after that"
								: "its result (%s) is completed later".formatted(result.getSimpleName())),
					"return the result itself, or use LockRegistry.acquireAsync and close the handle on completion",
					null);
		}
	}

	private static boolean isLate(Class<?> type) {
		for (Class<?> candidate = type; candidate != null; candidate = candidate.getSuperclass()) {
			if (LATE_RESULTS.contains(candidate.getName())) {
				return true;
			}
		}
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch((candidate) -> LATE_RESULTS.contains(candidate.getName()));
	}

	private void refuseSkippingPrimitive() {
		Class<?> result = this.method.getReturnType();
		if (this.annotation.onFailure() == OnFailure.SKIP && result.isPrimitive() && result != void.class) {
			throw invalid("onFailure", "onFailure = SKIP has no value to return as %s".formatted(result.getName()),
					"return %s instead, which is null when skipped, or use onFailure = THROW"
						.formatted(ClassUtils.resolvePrimitiveIfNecessary(result).getSimpleName()),
					null);
		}
	}

	private String name() {
		String name = resolve("name", this.annotation.name());
		return name.isEmpty() ? defaultName() : name;
	}

	/**
	 * Names of generated classes differ from one instance to the next, and would make
	 * different locks: the annotated type stands in for them.
	 */
	private String defaultName() {
		boolean generated = Proxy.isProxyClass(this.targetClass) || this.targetClass.isHidden();
		String type = (generated ? sourceType() : this.targetClass).getSimpleName();
		if (type.isEmpty()) {
			throw invalid("name", "an anonymous class gives the lock no name", "set the attribute 'name'", null);
		}
		return type + "." + this.method.getName();
	}

	private Class<?> sourceType() {
		return (this.source instanceof Method annotated) ? annotated.getDeclaringClass() : (Class<?>) this.source;
	}

	private @Nullable LockKey key() {
		String text = this.annotation.key();
		if (text.isEmpty()) {
			return null;
		}
		try {
			return new LockKeyParser(this.method.getParameterCount(), parameterNames()).parse(text);
		}
		catch (LockKeyParser.UnknownNameException ex) {
			throw invalid("key", "key = \"%s\": %s".formatted(text, ex.getMessage()), ex.fix(), ex);
		}
		catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
			throw invalid("key", "key = \"%s\" is not a SpEL expression (%s)".formatted(text, ex.getMessage()),
					"write #name for a parameter and 'text' in quotes for a fixed text", ex);
		}
	}

	/**
	 * An annotation speaks of the parameters of the method it is written on, which an
	 * implementing class may name otherwise.
	 */
	private @Nullable String @Nullable [] parameterNames() {
		@Nullable String @Nullable [] names = (this.source instanceof Method annotated)
				? PARAMETER_NAMES.getParameterNames(annotated) : null;
		return (names != null) ? names : PARAMETER_NAMES.getParameterNames(this.method);
	}

	private @Nullable Duration waitTime() {
		return duration("waitTime", this.annotation.waitTime(), Duration.ZERO, "use \"0\" to try once without waiting");
	}

	private @Nullable Duration leaseTime() {
		return duration("leaseTime", this.annotation.leaseTime(), SHORTEST_LEASE,
				"leave it away for a lease that is renewed while the method runs");
	}

	private @Nullable Duration duration(String attribute, String text, Duration least, String fix) {
		Duration duration = duration(attribute, text);
		if (duration != null && duration.compareTo(least) < 0) {
			throw invalid(attribute,
					"%s = \"%s\" is too short, the least is %d ms".formatted(attribute, text, least.toMillis()), fix,
					null);
		}
		if (duration != null && duration.compareTo(LONGEST) > 0) {
			throw invalid(attribute, "%s = \"%s\" is longer than %d days".formatted(attribute, text, LONGEST.toDays()),
					fix, null);
		}
		return duration;
	}

	private @Nullable Duration duration(String attribute, String text) {
		String value = resolve(attribute, text).strip();
		if (value.isEmpty()) {
			return null;
		}
		if (value.equals("0")) {
			return Duration.ZERO;
		}
		try {
			if (value.matches("[+-]?\\d+")) {
				throw new IllegalArgumentException("the unit is missing");
			}
			return DurationFormatterUtils.detectAndParse(value);
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			String resolved = value.equals(text) ? "" : " (resolved to \"%s\")".formatted(value);
			throw invalid(attribute, "%s = \"%s\"%s is not a duration".formatted(attribute, text, resolved),
					"write a number with its unit, such as \"10s\" or \"500ms\", or an ISO 8601 duration such as \"PT10S\"",
					ex);
		}
	}

	private String resolve(String attribute, String text) {
		if (!text.contains("${")) {
			return text;
		}
		String fix = "define the property, or give a default as in \"${my.property:10s}\"";
		String problem = "%s = \"%s\" has a placeholder that cannot be resolved".formatted(attribute, text);
		try {
			String value = this.placeholders.resolveStringValue(text);
			if (value != null && !value.contains("${")) {
				return value;
			}
		}
		catch (IllegalArgumentException ex) {
			throw invalid(attribute, problem, fix, ex);
		}
		throw invalid(attribute, problem, fix, null);
	}

	private boolean interruptible() {
		return Arrays.stream(this.invoked.getExceptionTypes())
			.anyMatch((type) -> type.isAssignableFrom(InterruptedException.class));
	}

	private InvalidLockAnnotationException invalid(String attribute, String problem, String fix,
			@Nullable Throwable cause) {
		return new InvalidLockAnnotationException(this.method, attribute, problem, fix, cause);
	}

}
