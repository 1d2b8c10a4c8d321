package io.lockstarter.verification.mutants;

import java.util.stream.Collectors;

/**
 * The planted mistakes, with the tests that catch them, as a table of the documentation.
 */
final class MutantTable {

	private static final String BEGIN = "<!-- mutants: begin -->";

	private static final String END = "<!-- mutants: end -->";

	private MutantTable() {
	}

	static String markdown() {
		return Mutants.ALL.stream()
			.map((mutant) -> "| %s | `%s` | %s |\n".formatted(mutant.mistake(), mutant.file(),
					mutant.instruments().stream().map((test) -> "`" + test + "`").collect(Collectors.joining("<br>"))))
			.collect(Collectors.joining("", BEGIN + "\n| mistake | in | caught by |\n| --- | --- | --- |\n", END));
	}

	/** Print the table. */
	public static void main(String[] arguments) {
		System.out.println(markdown());
	}

}
