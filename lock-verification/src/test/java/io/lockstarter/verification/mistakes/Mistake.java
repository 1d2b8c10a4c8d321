package io.lockstarter.verification.mistakes;

import java.util.List;

/**
 * A mistake that is planted in a copy of a class or script.
 *
 * @param name what to call it
 * @param text the mistake, in a sentence
 * @param guarantee the number of the guarantee in the README that it breaks
 * @param plant where it is planted
 * @param instruments the tests that catch it, as {@link Instruments} finds them
 */
public record Mistake(String name, String text, int guarantee, Plant plant, List<String> instruments) {

	/**
	 * Describes a mistake.
	 * @param name what to call it
	 * @param text the mistake, in a sentence
	 * @param guarantee the number of the guarantee in the README that it breaks
	 * @param plant where it is planted
	 * @param instruments the tests that catch it
	 */
	public Mistake(String name, String text, int guarantee, Plant plant, String... instruments) {
		this(name, text, guarantee, plant, List.of(instruments));
	}

	@Override
	public String toString() {
		return this.name;
	}

}
