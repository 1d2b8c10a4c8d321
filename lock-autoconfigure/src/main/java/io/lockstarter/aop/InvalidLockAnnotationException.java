package io.lockstarter.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a {@code @DistributedLock} can never work. Detected when the bean is
 * created.
 */
public class InvalidLockAnnotationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Class<?> type;

	private final String methodName;

	private final Class<?>[] parameterTypes;

	private final String attribute;

	private final String problem;

	private final String fix;

	InvalidLockAnnotationException(Method method, String attribute, String problem, String fix,
			@Nullable Throwable cause) {
		super("@DistributedLock on method %s: %s; %s".formatted(Describe.method(method), problem, fix), cause);
		this.type = method.getDeclaringClass();
		this.methodName = method.getName();
		this.parameterTypes = method.getParameterTypes();
		this.attribute = attribute;
		this.problem = problem;
		this.fix = fix;
	}

	/**
	 * Returns the annotated method.
	 * @return the method
	 */
	public Method method() {
		try {
			return this.type.getDeclaredMethod(this.methodName, this.parameterTypes);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException("The method does not exist in this version of its class", ex);
		}
	}

	/**
	 * Returns the attribute of the annotation that is wrong, or does not suit the method.
	 * @return the attribute's name, empty if the method cannot be locked at all
	 */
	public String attribute() {
		return this.attribute;
	}

	/**
	 * Returns the description of the problem.
	 * @return a clause without a full stop
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Returns the remedy.
	 * @return a clause without a full stop
	 */
	public String fix() {
		return this.fix;
	}

}
