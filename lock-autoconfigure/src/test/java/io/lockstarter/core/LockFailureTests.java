package io.lockstarter.core;

import java.util.Comparator;
import java.util.List;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.lockstarter.testing.GeneratedPage;
import io.lockstarter.testing.Javadoc;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What all exceptions of the API have in common, now and when there are more.
 */
class LockFailureTests {

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
	void theDocumentationTellsEveryExceptionThatIsThrown() {
		GeneratedPage.by(getClass(), "Exceptions")
			.text("All are unchecked and in the package `%s`. [What messages mean](messages.md#what-messages-mean) tells what to do."
				.formatted(LockFailure.class.getPackageName()))
			.table(List.of("exception", "when"),
					this.exceptions.stream()
						.filter((type) -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
						.sorted(Comparator.comparing(JavaClass::getSimpleName))
						.map((type) -> List.of('`' + type.getSimpleName() + '`', Javadoc.summary(type.getName())))
						.toList())
			.assertIsIn("exceptions.md");
	}

}
