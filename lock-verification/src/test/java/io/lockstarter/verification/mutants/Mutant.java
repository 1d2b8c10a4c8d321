package io.lockstarter.verification.mutants;

import java.util.List;

/**
 * A mistake planted in one place of one source file.
 *
 * @param name what to call it
 * @param mistake the mistake, in a sentence
 * @param file the source file, below {@code io/lockstarter}
 * @param original the place
 * @param replacement what is there instead
 * @param instruments the tests that catch it, each a {@code Class#method} below
 * {@code io.lockstarter}
 */
record Mutant(String name, String mistake, String file, String original, String replacement, List<String> instruments) {

	boolean isScript() {
		return this.file.endsWith(".lua");
	}

	@Override
	public String toString() {
		return this.name;
	}

}
