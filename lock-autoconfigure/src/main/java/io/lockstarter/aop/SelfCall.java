package io.lockstarter.aop;

/**
 * A call of a method on the object that makes it.
 *
 * @param caller the name of the method that calls; of the enclosing one if that is a
 * lambda expression
 * @param name the name of the method that is called
 * @param descriptor its parameters and result as byte code has them
 */
record SelfCall(String caller, String name, String descriptor) {

	/** Return it for people to read: who calls whom. */
	@Override
	public String toString() {
		return this.caller + " calls " + this.name;
	}

}
