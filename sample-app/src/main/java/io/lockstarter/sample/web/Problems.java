package io.lockstarter.sample.web;

import java.util.NoSuchElementException;

import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLostException;
import io.lockstarter.sample.PlainWords;
import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.boxoffice.InsufficientFundsException;
import io.lockstarter.sample.boxoffice.InvalidOrderException;
import io.lockstarter.sample.boxoffice.SeatTakenException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Error responses for customers, which contain the name of the instance.
 */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

	private final String instance;

	Problems(SampleProperties properties) {
		this.instance = properties.instance();
	}

	@ExceptionHandler({ SeatTakenException.class, InsufficientFundsException.class })
	ProblemDetail tooLate(RuntimeException ex) {
		return problem(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler(NoSuchElementException.class)
	ProblemDetail unknown(NoSuchElementException ex) {
		return problem(HttpStatus.NOT_FOUND, String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler(InvalidOrderException.class)
	ProblemDetail nonsense(InvalidOrderException ex) {
		return problem(HttpStatus.BAD_REQUEST, String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler(LockException.class)
	ProblemDetail noLock(LockException ex) {
		this.logger.warn("A customer's request failed because of its lock: " + ex);
		return problem((ex instanceof LockLostException) ? HttpStatus.CONFLICT : HttpStatus.SERVICE_UNAVAILABLE,
				PlainWords.of(ex));
	}

	@Override
	protected ResponseEntity<Object> createResponseEntity(@Nullable Object body, HttpHeaders headers,
			HttpStatusCode status, WebRequest request) {
		if (body instanceof ProblemDetail problem) {
			sign(problem);
		}
		return super.createResponseEntity(body, headers, status, request);
	}

	private ProblemDetail problem(HttpStatus status, String detail) {
		return sign(ProblemDetail.forStatusAndDetail(status, detail));
	}

	private ProblemDetail sign(ProblemDetail problem) {
		problem.setProperty("servedBy", this.instance);
		return problem;
	}

}
