package io.lockstarter.docs;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.StaleTokenException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * How docs/guide.md turns exceptions into answers.
 */
@RestControllerAdvice
class LockAdvice {

	@ExceptionHandler({ LockAcquisitionTimeoutException.class, StaleTokenException.class })
	ProblemDetail conflict(LockException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT,
				"Somebody else is working on this. Try again soon.");
	}

	@ExceptionHandler({ LockBackendException.class, LockRegistryClosedException.class })
	ProblemDetail unavailable(LockException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "Please try again later.");
	}

}
