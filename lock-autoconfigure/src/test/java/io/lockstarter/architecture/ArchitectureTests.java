package io.lockstarter.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.lockstarter";

	/** A tree of packages in which something breaks each rule. */
	private static final String PLANTED = "io.lockstarter.architecture.planted";

	private final JavaClasses main = new ClassFileImporter().importPath(Path.of("target", "classes"));

	private final JavaClasses planted = new ClassFileImporter().importPackages(PLANTED);

	@ParameterizedTest
	@MethodSource
	void mainCodeKeeps(ArchRule rule) {
		rule.check(this.main);
	}

	Stream<ArchRule> mainCodeKeeps() {
		return new ArchitectureRules(ROOT).all().stream();
	}

	@ParameterizedTest
	@MethodSource
	void plantedViolationBreaks(ArchRule rule) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> rule.check(this.planted));
	}

	Stream<ArchRule> plantedViolationBreaks() {
		return new ArchitectureRules(PLANTED).all().stream();
	}

	@Test
	void everyRuleGivesItsReason() {
		List<ArchRule> rules = new ArchitectureRules(ROOT).all();
		assertThat(rules).extracting(ArchRule::getDescription).allMatch((text) -> text.contains(", because "));
	}

	@Test
	void looksAtTheMainCodeOnly() {
		assertThat(this.main).extracting("name", String.class)
			.contains("io.lockstarter.core.LockRegistry")
			.noneMatch((name) -> name.endsWith("Tests"));
	}

}
