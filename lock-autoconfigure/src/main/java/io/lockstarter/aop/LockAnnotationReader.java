package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.Supplier;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.expression.ParseException;

/**
 * Reader of the annotation on one method, which rejects annotations that can never work.
 */
final class LockAnnotationReader {

	private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

	private final DistributedLock annotation;

	private final Object source;

	private final Method invoked;

	private final Method method;

	private final Class<?> targetClass;

	private final LockEnvironment environment;

	/**
	 * Creates a reader for one method.
	 * @param annotated the method that runs, and its annotation
	 * @param invoked the method that callers invoke, which may be that of an interface
	 * @param targetClass the class of the bean
	 * @param environment the environment of the annotation
	 */
	LockAnnotationReader(AnnotatedMethod annotated, Method invoked, Class<?> targetClass, LockEnvironment environment) {
		Object source = annotated.annotation().getSource();
		this.annotation = annotated.annotation().synthesize();
		this.method = annotated.method();
		this.source = (source != null) ? source : this.method;
		this.invoked = invoked;
		this.targetClass = targetClass;
		this.environment = environment;
	}

	LockAttribute read() {
		refuseMakingOfBean();
		this.environment.interception().require(this.method, this.targetClass);
		OnTimeout onTimeout = this.annotation.onTimeout();
		LockOperation operation = new LockOperations(this.environment.transaction()).choose(this.method,
				this.targetClass, onTimeout);
		LockOptions options = new LockOptionsReader(this.annotation, this.method, this.environment).read();
		return new LockAttribute(this.method, name(), key(), permits(),
				expression("condition", this.annotation.condition()), options, onTimeout, fallback(), operation,
				interruptible(), fence(operation));
	}

	private @Nullable Supplier<@Nullable LockFence> fence(LockOperation operation) {
		if (!this.annotation.fenced()) {
			return null;
		}
		if (this.annotation.type() == LockType.READ || !this.annotation.permits().isEmpty()) {
			throw invalid("fenced",
					"fenced = true excludes type = READ and permits: fencing tokens of owners that hold a lock at the same time have no order",
					"remove one of them", null);
		}
		if (!(operation instanceof BlockingOperation)) {
			throw invalid("fenced",
					"fenced = true needs a result that is complete when the method returns, because transactions that end on other threads cannot be verified",
					"return the value itself, or register and verify the token by io.lockstarter.fence.Fence", null);
		}
		return this.environment.fence();
	}

	/**
	 * Rejects a {@code @Bean} method, unless the annotation is that of its configuration
	 * class, which does not apply to it.
	 */
	private void refuseMakingOfBean() {
		if (this.source instanceof Method && MergedAnnotations.from(this.method).isPresent(Bean.class)) {
			throw invalid("",
					"it is a @Bean method, and the lock would apply to the creation of the bean, not to calls of it",
					"annotate the method of the bean's class that is to run under the lock", null);
		}
	}

	private @Nullable Fallback fallback() {
		String name = this.annotation.fallback();
		if (name.isEmpty()) {
			return null;
		}
		if (this.annotation.onTimeout() == OnTimeout.SKIP) {
			throw invalid("fallback", "fallback = \"%s\" and onTimeout = SKIP cannot be combined".formatted(name),
					"remove one of them", null);
		}
		return new FallbackFinder(this.method, this.targetClass).find(name);
	}

	private String name() {
		String name = new AnnotationValues(this.method, this.environment.placeholders()).resolve("name",
				this.annotation.name());
		return name.isEmpty() ? defaultName() : name;
	}

	/**
	 * Returns the default name. Names of generated classes differ between instances and
	 * would result in different locks, so the annotated type is used instead.
	 */
	private String defaultName() {
		boolean generated = Proxy.isProxyClass(this.targetClass) || this.targetClass.isHidden();
		String type = (generated ? sourceType() : this.targetClass).getSimpleName();
		if (type.isEmpty()) {
			throw invalid("name", "an anonymous class gives the lock no name", "set the attribute 'name'", null);
		}
		return type + "." + KotlinFunctions.nameOf(this.method);
	}

	private Class<?> sourceType() {
		return (this.source instanceof Method annotated) ? annotated.getDeclaringClass() : (Class<?>) this.source;
	}

	private @Nullable LockExpression key() {
		LockExpression key = expression("key", this.annotation.key());
		if (key != null) {
			key.ast()
				.flatMap(new KeyTypes(this.method, this.targetClass, key.declaredParameters())::refused)
				.ifPresent((type) -> {
					throw refusedKey(key.text(), type);
				});
		}
		return key;
	}

	private InvalidLockAnnotationException refusedKey(String text, Class<?> type) {
		if (KeyText.isOfBytes(type)) {
			return invalid("key", "key = \"%s\" gives a %s".formatted(text, type.getSimpleName()),
					KeyText.TEXT_OF_BYTES, null);
		}
		return invalid("key", "key = \"%s\" gives a %s, which has no text that is the same in every JVM".formatted(text,
				type.getName()), "use a simple property of it, as in #order.id", null);
	}

	private @Nullable LockExpression permits() {
		String text = this.annotation.permits();
		LockType type = this.annotation.type();
		if (!text.isEmpty() && (type == LockType.READ || type == LockType.WRITE)) {
			throw invalid("permits", "permits = \"%s\" and type = %s cannot be combined".formatted(text, type),
					"remove one of them: readers are not limited, and writers are exclusive", null);
		}
		String resolved = new AnnotationValues(this.method, this.environment.placeholders()).resolve("permits", text);
		LockExpression permits = expression("permits", resolved.strip());
		if (permits != null && permits.isConstant() && PermitNumbers.of(permits.constant()) == null) {
			throw invalid("permits",
					"permits = \"%s\"%s is not a whole number of at least 1".formatted(text,
							resolved.equals(text) ? "" : " (resolved to \"%s\")".formatted(resolved)),
					"write the number of owners that may hold the lock at a time, such as \"4\", or an expression for it",
					null);
		}
		return permits;
	}

	private @Nullable LockExpression expression(String attribute, String text) {
		if (text.isEmpty()) {
			return null;
		}
		try {
			return new LockExpressionParser(attribute, SuspendFunctions.parameterCount(this.method), parameterNames(),
					KotlinFunctions.valueClasses(this.method))
				.parse(text);
		}
		catch (LockExpressionParser.UnknownNameException ex) {
			throw invalid(attribute, "%s = \"%s\": %s".formatted(attribute, text, ex.getMessage()), ex.fix(), ex);
		}
		catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
			throw invalid(attribute, "%s = \"%s\" is not a SpEL expression (%s)".formatted(attribute, text, ex
				.getMessage()), attribute.equals("permits")
						? "write a number, such as \"4\", or an expression that gives one, with #name for a parameter"
						: "write #name for a parameter and 'text' in quotes for a fixed text",
					ex);
		}
	}

	/**
	 * Returns the names of the parameters of the annotated method, because an
	 * implementing class may use other names.
	 */
	private @Nullable String @Nullable [] parameterNames() {
		@Nullable String @Nullable [] names = (this.source instanceof Method annotated)
				? PARAMETER_NAMES.getParameterNames(annotated) : null;
		return (names != null) ? names : PARAMETER_NAMES.getParameterNames(this.method);
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
