package io.lockstarter.dashboard;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link DashboardRuntimeHints}.
 */
class DashboardRuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	DashboardRuntimeHintsTests() {
		new DashboardRuntimeHints().registerHints(this.hints, getClass().getClassLoader());
	}

	@Test
	void includesAllFilesOfThePage() {
		assertThat(DashboardFiles.NAMES).isNotEmpty()
			.allSatisfy((name) -> assertThat(
					RuntimeHintsPredicates.resource().forResource("io/lockstarter/dashboard/page/" + name))
				.accepts(this.hints));
	}

	@Test
	void includesTypesOfTheData() {
		for (Class<?> type : new Class<?>[] { View.class, View.RowView.class, View.LockView.class, Problem.class,
				LockRow.InstanceWait.class, InstanceReport.class, InstanceReport.Wait.class, Inspection.class,
				Inspection.InspectedLock.class, DashboardRequest.Csrf.class }) {
			assertThat(RuntimeHintsPredicates.reflection().onType(type)).as(type.getName()).accepts(this.hints);
		}
	}

	@Test
	void includesTypeThatDeterminesWhetherLoginIsRequired() {
		assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(LoginRule.SPRING_SECURITY)))
			.accepts(this.hints);
	}

}
