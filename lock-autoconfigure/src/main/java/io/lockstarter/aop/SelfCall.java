package io.lockstarter.aop;

/**
 * Call of a bean's method on the bean itself.
 *
 * @param caller the name of the calling method, or of the enclosing one for a lambda
 * expression
 * @param name the name of the called method, in byte code or in its source
 * @param descriptor its parameters and result, as a descriptor of byte code
 */
record SelfCall(String caller, String name, String descriptor) {

	/** Returns a copy with another name of the called method. */
	SelfCall of(String sourceName) {
		return new SelfCall(this.caller, sourceName, this.descriptor);
	}

	/** Returns the call as text for messages. */
	@Override
	public String toString() {
		return this.caller + " calls " + this.name;
	}

}
