package io.lockstarter.faults;

import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Knows whether the test at work is one of the stress suite, where limits of time count,
 * and counts the faults that were survived there: one for each test that passes.
 */
final class StressRun implements BeforeEachCallback, AfterTestExecutionCallback {

	private static volatile boolean underWay;

	static boolean isUnderWay() {
		return underWay;
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		underWay = context.getTags().contains("stress");
	}

	@Override
	public void afterTestExecution(ExtensionContext context) {
		if (underWay && context.getExecutionException().isEmpty()) {
			StressSummary.FAULTS_SURVIVED.add(1);
		}
	}

}
