package io.lockstarter.sample.web;

import java.util.NoSuchElementException;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockKeyException;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.boxoffice.InsufficientFundsException;
import io.lockstarter.sample.boxoffice.SeatTakenException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Tells customers what went wrong, and which instance says so.
 */
@RestControllerAdvice
class Problems {

	private final String instance;

	Problems(SampleProperties properties) {
		this.instance = properties.instance();
	}

	@ExceptionHandler({ SeatTakenException.class, InsufficientFundsException.class })
	ProblemDetail tooLate(RuntimeException ex) {
		return problem(HttpStatus.CONFLICT, ex);
	}

	@ExceptionHandler(NoSuchElementException.class)
	ProblemDetail unknown(NoSuchElementException ex) {
		return problem(HttpStatus.NOT_FOUND, ex);
	}

	@ExceptionHandler({ IllegalArgumentException.class, LockKeyException.class })
	ProblemDetail nonsense(RuntimeException ex) {
		return problem(HttpStatus.BAD_REQUEST, ex);
	}

	@ExceptionHandler({ LockAcquisitionTimeoutException.class, LockBackendException.class,
			LockRegistryClosedException.class })
	ProblemDetail notNow(RuntimeException ex) {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, ex);
	}

	private ProblemDetail problem(HttpStatus status, RuntimeException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(ex.getMessage()));
		problem.setProperty("answeredBy", this.instance);
		return problem;
	}

}
