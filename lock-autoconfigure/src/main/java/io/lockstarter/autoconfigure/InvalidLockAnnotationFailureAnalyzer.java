package io.lockstarter.autoconfigure;

import io.lockstarter.aop.InvalidLockAnnotationException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.StringUtils;

/**
 * Failure analyzer for a {@code @DistributedLock} that can never work.
 */
class InvalidLockAnnotationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockAnnotationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockAnnotationException cause) {
		String description = "@DistributedLock cannot be applied to the method%n%n    %s%n%nbecause %s."
			.formatted(cause.method().toGenericString(), cause.problem());
		return new FailureAnalysis(description, StringUtils.capitalize(cause.fix()) + ".", cause);
	}

}
