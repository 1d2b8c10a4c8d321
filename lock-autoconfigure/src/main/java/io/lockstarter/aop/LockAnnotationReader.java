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
 * Reads the annotation of one method into an attribute, refusing what can never work.
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
	 * Prepare for one method.
	 * @param annotated the method that runs, and its annotation
	 * @param invoked the method that callers see, perhaps of an interface
	 * @param targetClass the class of the bean
	 * @param environment what the annotation is read in
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
		this.environment.reach().require(this.method, this.targetClass);
		OnTimeout onTimeout = this.annotation.onTimeout();
		LockOperation operation = new LockOperations(this.environment.transaction()).choose(this.method,
				this.targetClass, onTimeout);
		LockTerms terms = new TermsReader(this.annotation, this.method, this.environment).read();
		return new LockAttribute(this.method, name(), key(), permits(),
				expression("condition", this.annotation.condition()), terms, onTimeout, fallback(), operation,
				interruptible(), fence(operation));
	}

	private @Nullable Supplier<@Nullable LockFence> fence(LockOperation operation) {
		if (!this.annotation.fenced()) {
			return null;
		}
		if (this.annotation.type() == LockType.READ || !this.annotation.permits().isEmpty()) {
			throw invalid("fenced",
					"fenced = true excludes type = READ and permits: fencing tokens of owners that hold a lock together are in no order",
					"take one of them away", null);
		}
		if (!(operation instanceof BlockingOperation)) {
			throw invalid("fenced",
					"fenced = true needs a result that is there when the method returns, because transactions that end on other threads cannot be verified",
					"return the value itself, or register and verify the token by io.lockstarter.fence.Fence", null);
		}
		return this.environment.fence();
	}

	/** Locks of a whole configuration class are not meant for it. */
	private void refuseMakingOfBean() {
		if (this.source instanceof Method && MergedAnnotations.from(this.method).isPresent(Bean.class)) {
			throw invalid("", "it is a @Bean method, and only the making of the bean would be locked, not calls of it",
					"annotate the method of the bean's class that is to run under the lock", null);
		}
	}

	private @Nullable Fallback fallback() {
		String name = this.annotation.fallback();
		if (name.isEmpty()) {
			return null;
		}
		if (this.annotation.onTimeout() == OnTimeout.SKIP) {
			throw invalid("fallback", "fallback = \"%s\" and onTimeout = SKIP exclude each other".formatted(name),
					"take one of them away", null);
		}
		return new FallbackFinder(this.method, this.targetClass).find(name);
	}

	private String name() {
		String name = new AnnotationValues(this.method, this.environment.placeholders()).resolve("name",
				this.annotation.name());
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
			throw invalid("permits", "permits = \"%s\" and type = %s exclude each other".formatted(text, type),
					"take one of them away: readers are not limited, and writers are alone", null);
		}
		String resolved = new AnnotationValues(this.method, this.environment.placeholders()).resolve("permits", text);
		LockExpression permits = expression("permits", resolved.strip());
		if (permits != null && permits.isConstant() && PermitNumbers.of(permits.constant()) == null) {
			throw invalid("permits",
					"permits = \"%s\"%s is no whole number of 1 or more".formatted(text,
							resolved.equals(text) ? "" : " (resolved to \"%s\")".formatted(resolved)),
					"write how many may hold the lock at a time, such as \"4\", or an expression for it", null);
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
	 * An annotation speaks of the parameters of the method it is written on, which an
	 * implementing class may name otherwise.
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
