package io.lockstarter.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains why locks cannot be set up as they are configured.
 */
class LockSetupFailureAnalyzer extends AbstractFailureAnalyzer<LockSetupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockSetupException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
