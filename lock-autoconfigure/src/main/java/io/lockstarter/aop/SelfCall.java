package io.lockstarter.aop;

/**
 * A call of a method of a bean on the bean itself.
 *
 * @param caller the name of the method that calls; of the enclosing one if that is a
 * lambda expression
 * @param name the name of the method that is called, in byte code or in its source
 * @param descriptor its parameters and result as byte code has them
 */
record SelfCall(String caller, String name, String descriptor) {

	/** Returns the same call of the method by another name. */
	SelfCall of(String sourceName) {
		return new SelfCall(this.caller, sourceName, this.descriptor);
	}

	/** Return it for people to read: who calls whom. */
	@Override
	public String toString() {
		return this.caller + " calls " + this.name;
	}

}
