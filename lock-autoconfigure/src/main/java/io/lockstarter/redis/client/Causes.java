package io.lockstarter.redis.client;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * What is inside a failure.
 */
final class Causes {

	private Causes() {
	}

	/** Take off what futures put around a failure. */
	static Throwable unwrap(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

	/** The first of a type among a failure and its causes. */
	static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (type.isInstance(cause)) {
				return type.cast(cause);
			}
		}
		return null;
	}

	/**
	 * What Lettuce tells now and then of a server that has refused its user: the refusal
	 * that was heard of before says more.
	 */
	static boolean isOnlyClosed(Throwable cause) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(cause).getMessage())
			.contains("Connection closed prematurely");
	}

}
