package io.lockstarter.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a lock backend that lacks something it needs.
 */
class NoLockBackendFailureAnalyzer extends AbstractFailureAnalyzer<NoLockBackendException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, NoLockBackendException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
