package io.lockstarter.verification.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each planted mistake is caught by each of the tests that are said to catch it.
 */
class MutantTests {

	/** One of each kind, which take little time. */
	private static final List<String> FEW = List.of("granted-from-message", "release-forgotten", "quorum-mixes-bases",
			"skip-runs-unlocked");

	private static final Path PAGE = Path.of("..", "docs", "planted-mistakes.md");

	@TempDir
	Path directory;

	static List<Mutant> all() {
		return Mutants.ALL;
	}

	static Stream<Mutant> few() {
		return Mutants.ALL.stream().filter((mutant) -> FEW.contains(mutant.name()));
	}

	static Stream<Mutant> others() {
		return Mutants.ALL.stream().filter((mutant) -> !FEW.contains(mutant.name()));
	}

	@ParameterizedTest
	@MethodSource("all")
	void fitsTheSourceAndNamesTests(Mutant mutant) {
		assertThat(Plant.text(mutant)).contains(mutant.replacement());
		assertThat(mutant.instruments()).isNotEmpty().allMatch(Instruments::exists);
	}

	@ParameterizedTest
	@MethodSource("few")
	void isCaught(Mutant mutant) {
		expectCaught(mutant);
	}

	@Tag("stress")
	@ParameterizedTest
	@MethodSource("others")
	void isCaughtToo(Mutant mutant) {
		expectCaught(mutant);
	}

	private void expectCaught(Mutant mutant) {
		long start = System.nanoTime();
		Plant.into(this.directory, mutant);
		Map<String, Boolean> caught = Instruments.run(this.directory, mutant.instruments());
		System.out.printf("[MutantTests] %s: %s in %d ms%n", mutant, caught, (System.nanoTime() - start) / 1_000_000);
		assertThat(caught).as(mutant.mistake()).doesNotContainValue(false);
	}

	@Test
	void testsThatCatchFewAreGreenWithoutMistakes() {
		expectGreen(few());
	}

	@Tag("stress")
	@Test
	void testsThatCatchTheOthersAreGreenWithoutMistakes() {
		expectGreen(others());
	}

	private void expectGreen(Stream<Mutant> mutants) {
		List<String> instruments = mutants.flatMap((mutant) -> mutant.instruments().stream()).distinct().toList();
		assertThat(Instruments.run(this.directory, instruments)).hasSameSizeAs(instruments).doesNotContainValue(true);
	}

	@Test
	void areAllInTheDocumentation() throws IOException {
		assertThat(Files.readString(PAGE)).as("%s, between the markers", PAGE).contains(MutantTable.markdown());
	}

}
