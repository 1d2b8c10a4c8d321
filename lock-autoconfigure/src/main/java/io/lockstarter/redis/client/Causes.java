package io.lockstarter.redis.client;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Utilities for the causes of a failure.
 */
final class Causes {

	private Causes() {
	}

	/** Returns the failure without the exceptions in which futures wrap it. */
	static Throwable unwrap(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

	/** Returns the first exception of a type among a failure and its causes. */
	static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (type.isInstance(cause)) {
				return type.cast(cause);
			}
		}
		return null;
	}

	/**
	 * Returns whether the failure says only that the connection was closed. Lettuce
	 * sometimes reports this for a server that rejects the credentials. An earlier
	 * rejection explains more.
	 */
	static boolean isOnlyClosed(Throwable cause) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(cause).getMessage())
			.contains("Connection closed prematurely");
	}

}
