package io.lockstarter.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A {@code @DistributedLock} that can never work; found when the bean is created.
 */
public class InvalidLockAnnotationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient Method method;

	private final String attribute;

	private final String problem;

	private final String fix;

	InvalidLockAnnotationException(Method method, String attribute, String problem, String fix,
			@Nullable Throwable cause) {
		super("@DistributedLock on method %s: %s; %s".formatted(Describe.method(method), problem, fix), cause);
		this.method = method;
		this.attribute = attribute;
		this.problem = problem;
		this.fix = fix;
	}

	/**
	 * Return the annotated method.
	 * @return the method
	 */
	public Method method() {
		return this.method;
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
