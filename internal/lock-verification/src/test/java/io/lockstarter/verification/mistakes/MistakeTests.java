package io.lockstarter.verification.mistakes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each planted mistake is caught by its tests, which pass without the mistake.
 */
class MistakeTests {

	/** Quick mistakes: one in a method, one in scripts. */
	private static final Set<String> QUICK = Set.of("deadline-from-reply", "release-forgotten");

	private static final Path PAGE = Path.of("target", "planted-mistakes.md");

	private static final int PARALLEL = 2;

	@TempDir
	private Path directory;

	/** Fails if the place of a mistake or one of its tests does not exist. */
	@Test
	void areAllOnAPage() throws IOException {
		String page = Mistakes.page();
		Files.createDirectories(PAGE.getParent());
		Files.writeString(PAGE, page);
		assertThat(Mistakes.ALL).extracting(Mistake::name).doesNotHaveDuplicates().containsAll(QUICK);
	}

	@Test
	void quickOnesAreCaught() {
		expectCaught(Mistakes.ALL.stream().filter((mistake) -> QUICK.contains(mistake.name())).toList());
	}

	@Tag("stress")
	@Test
	void allAreCaught() {
		String chosen = System.getProperty("verification.mistakes", ".*");
		StressSummary.MISTAKES_CAUGHT
			.add(expectCaught(Mistakes.ALL.stream().filter((mistake) -> mistake.name().matches(chosen)).toList()));
	}

	private int expectCaught(List<Mistake> mistakes) {
		List<String> instruments = mistakes.stream()
			.flatMap((mistake) -> mistake.instruments().stream())
			.distinct()
			.toList();
		ExecutorService executor = Executors.newFixedThreadPool(PARALLEL);
		try {
			var without = CompletableFuture.supplyAsync(() -> run("none", (classes) -> {
			}, instruments), executor);
			Map<Mistake, CompletableFuture<Map<String, Boolean>>> with = new LinkedHashMap<>();
			mistakes.forEach((mistake) -> with.put(mistake, CompletableFuture
				.supplyAsync(() -> run(mistake.name(), mistake.plant(), mistake.instruments()), executor)));
			assertThat(without.join()).as("no mistake").hasSameSizeAs(instruments).doesNotContainValue(true);
			with.forEach((mistake,
					caught) -> assertThat(caught.join()).as(mistake.text()).isNotEmpty().doesNotContainValue(false));
			return with.size();
		}
		finally {
			executor.shutdownNow();
		}
	}

	private Map<String, Boolean> run(String name, Plant plant, List<String> instruments) {
		long start = System.nanoTime();
		try {
			Path folder = this.directory.resolve(name);
			plant.into(Files.createDirectories(folder.resolve("classes")));
			Map<String, Boolean> caught = Instruments.run(folder, instruments);
			System.out.printf("[MistakeTests] %s: %s in %d ms%n", name, caught,
					(System.nanoTime() - start) / 1_000_000);
			return caught;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
