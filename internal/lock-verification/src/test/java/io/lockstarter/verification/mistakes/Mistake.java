package io.lockstarter.verification.mistakes;

import java.util.List;

/**
 * Mistake that is planted in a copy of a class or script.
 *
 * @param name the name
 * @param text the description in one sentence
 * @param guarantee the number of the violated guarantee in the README
 * @param plant the place of the mistake
 * @param instruments the tests that catch it, as {@link Instruments} finds them
 */
public record Mistake(String name, String text, int guarantee, Plant plant, List<String> instruments) {

	/**
	 * Creates a mistake.
	 * @param name the name
	 * @param text the description in one sentence
	 * @param guarantee the number of the violated guarantee in the README
	 * @param plant the place of the mistake
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
