package io.lockstarter.core;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.lockstarter.testing.GeneratedPage;
import io.lockstarter.testing.Javadoc;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What all exceptions of the API have in common, now and when there are more.
 */
class LockExceptionTests {

	private final List<JavaClass> exceptions = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackagesOf(LockException.class)
		.stream()
		.filter((type) -> type.isAssignableTo(Throwable.class))
		.toList();

	@Test
	void everyExceptionIsUnchecked() {
		assertThat(this.exceptions).hasSizeGreaterThan(5)
			.allMatch((type) -> type.isAssignableTo(RuntimeException.class));
	}

	@Test
	void onlyUnlockingWhatIsNotHeldIsAnIllegalMonitorState() {
		assertThat(this.exceptions).filteredOn((type) -> type.isAssignableTo(IllegalMonitorStateException.class))
			.extracting(JavaClass::getSimpleName)
			.containsExactly("LockNotHeldException");
	}

	@Test
	void everyExceptionIsOneOfTwoClasses() {
		assertThat(this.exceptions).allMatch(
				(type) -> type.isAssignableTo(LockException.class) || type.isAssignableTo(LockNotHeldException.class));
	}

	@ParameterizedTest
	@MethodSource
	void keepsWhatItTellsWhenItIsSerialized(Throwable failure) throws Exception {
		Throwable copy = copy(failure);
		assertThat(copy).hasMessage(failure.getMessage());
		for (Method accessor : failure.getClass().getDeclaredMethods()) {
			if (Modifier.isPublic(accessor.getModifiers()) && accessor.getParameterCount() == 0) {
				assertThat(text(accessor.invoke(copy))).as(accessor.getName())
					.isEqualTo(text(accessor.invoke(failure)));
			}
		}
	}

	/** Without how long ago it was, which goes on. */
	private static String text(Object value) {
		return String.valueOf(value).replaceAll("\\d+ ms ago", "");
	}

	static Stream<Throwable> keepsWhatItTellsWhenItIsSerialized() {
		LockOwner owner = LockOwner.currentThread();
		LockLoss loss = new LockLoss("report", "report", LockType.FAIR, owner, 7, LockLoss.Reason.NOT_OWNED,
				Instant.now().minusSeconds(60), Duration.ofSeconds(2), "billing");
		FenceRefusal refusal = new FenceRefusal("report", "report", LockType.FAIR, owner, "billing", 7, 8L,
				FenceRefusal.Stage.COMMIT, Instant.now());
		Holder holder = new Holder("here/main", Duration.ofSeconds(1), Duration.ofSeconds(2), 3);
		return Stream.of(new LockLostException(loss),
				new LockLostException(loss, Duration.ofSeconds(1), Duration.ofSeconds(2)),
				new StaleTokenException(loss, refusal, "refused", null),
				new LockAcquisitionTimeoutException("report", Duration.ofSeconds(3), holder),
				new LockAcquisitionTimeoutException("report", Duration.ofSeconds(3), null),
				new LockUpgradeException("report", owner), new LockNotHeldException("report", owner),
				new LockRegistryClosedException("report"), new LockKeyException("report", "no key", null),
				new LockInterruptedException("report", null, new InterruptedException()),
				new LockBackendException("report", LockBackendException.Reason.TIMEOUT, "detail", true, null));
	}

	@Test
	void coversEveryException() {
		assertThat(this.exceptions).filteredOn((type) -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
			.extracting(JavaClass::getName)
			.containsExactlyInAnyOrderElementsOf(
					keepsWhatItTellsWhenItIsSerialized().map((failure) -> failure.getClass().getName())
						.distinct()
						.toList());
	}

	@Test
	void ownerThatWasSerializedIsNobodyHere() throws Exception {
		LockOwner owner = LockOwner.currentThread();
		LockOwner copy = copy(owner);
		assertThat(copy).isNotEqualTo(owner).hasToString(owner.toString());
		assertThat(copy.thread()).isNull();
		assertThat(copy.hashCode()).isEqualTo(copy.hashCode());
	}

	@SuppressWarnings("unchecked")
	private static <T> T copy(T original) throws IOException, ClassNotFoundException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(original);
		}
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
			return (T) in.readObject();
		}
	}

	@Test
	void theDocumentationTellsEveryExceptionThatIsThrown() {
		GeneratedPage.by(getClass(), "Exceptions")
			.text("All are unchecked and in the package `%s`. [What messages mean](messages.md#what-messages-mean) says what to do."
				.formatted(LockException.class.getPackageName()))
			.table(List.of("exception", "when"),
					this.exceptions.stream()
						.filter((type) -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
						.sorted(Comparator.comparing(JavaClass::getSimpleName))
						.map((type) -> List.of('`' + type.getSimpleName() + '`', when(type)))
						.toList())
			.assertIsIn("exceptions.md");
	}

	private static String when(JavaClass exception) {
		return StringUtils.capitalize(Javadoc.summary(exception.getName()).replaceFirst("^Thrown when ", ""));
	}

}
