package io.lockstarter.core;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.lockstarter.testing.MarkdownTable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What all exceptions of the API have in common, now and when there are more.
 */
class LockFailureTests {

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private final List<JavaClass> exceptions = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackagesOf(LockFailure.class)
		.stream()
		.filter((type) -> type.isAssignableTo(Throwable.class))
		.toList();

	@Test
	void everyExceptionIsALockFailureThatNobodyHasToCatch() {
		assertThat(this.exceptions).hasSizeGreaterThan(5).allSatisfy((type) -> {
			assertThat(type.isAssignableTo(LockFailure.class)).as(type.getName()).isTrue();
			assertThat(type.isAssignableTo(RuntimeException.class)).as(type.getName()).isTrue();
		});
	}

	@Test
	void onlyUnlockingWhatIsNotHeldIsAnIllegalMonitorState() {
		assertThat(this.exceptions).filteredOn((type) -> type.isAssignableTo(IllegalMonitorStateException.class))
			.extracting(JavaClass::getSimpleName)
			.containsExactly("LockNotHeldException");
	}

	@Test
	void twoClassesCatchThemAllAndTellTheLock() {
		assertThat(this.exceptions).allMatch(
				(type) -> type.isAssignableTo(LockException.class) || type.isAssignableTo(LockNotHeldException.class));
		try {
			throw new LockNotHeldException("report", LockOwner.currentThread());
		}
		catch (LockException | LockNotHeldException ex) {
			assertThat(ex.lockName()).isEqualTo("report");
		}
	}

	@Test
	void theReferenceTellsEveryExceptionThatIsThrown() {
		Set<String> thrown = this.exceptions.stream()
			.filter((type) -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
			.map(JavaClass::getSimpleName)
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(MarkdownTable.below("### Errors", Path.of("..", "docs", "reference.md")).rows().keySet())
			.flatExtracting((cell) -> CODE.matcher(cell).results().map((MatchResult code) -> code.group(1)).toList())
			.containsExactlyInAnyOrderElementsOf(thrown);
	}

}
