package io.lockstarter.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A {@code @DistributedLock} that can never work; found when the bean is created.
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
	 * Return the annotated method.
	 * @return the method
	 */
	public Method method() {
		try {
			return this.type.getDeclaredMethod(this.methodName, this.parameterTypes);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException("The method is not in this version of its class", ex);
		}
	}

	/**
	 * Return the annotation's attribute that is wrong, or does not suit the method.
	 * @return the attribute's name, empty if the method cannot be locked at all
	 */
	public String attribute() {
		return this.attribute;
	}

	/**
	 * Return what is wrong.
	 * @return a clause without a full stop
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Return what to do about it.
	 * @return a clause without a full stop
	 */
	public String fix() {
		return this.fix;
	}

}
