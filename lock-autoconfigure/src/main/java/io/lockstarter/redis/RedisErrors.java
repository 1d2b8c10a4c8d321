package io.lockstarter.redis;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * What Redis's errors mean for a lock.
 */
final class RedisErrors {

	private RedisErrors() {
	}

	static LockBackendException translate(String name, Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof LockBackendException known) {
			return known;
		}
		String detail = (cause.getMessage() != null) ? cause.getMessage() : cause.toString();
		return new LockBackendException(name, reasonOf(cause), detail, cause);
	}

	static boolean isNoScript(Throwable failure) {
		String message = unwrap(failure).getMessage();
		return message != null && message.startsWith("NOSCRIPT");
	}

	private static Throwable unwrap(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

	private static Reason reasonOf(Throwable cause) {
		RedisCommandExecutionException refusal = find(cause, RedisCommandExecutionException.class);
		if (refusal != null) {
			return reason(String.valueOf(refusal.getMessage()));
		}
		if (find(cause, RedisCommandTimeoutException.class) != null || cause instanceof CancellationException) {
			return Reason.TIMEOUT;
		}
		return Reason.UNREACHABLE;
	}

	/**
	 * Redis before 7 puts the code of an error raised inside a script after a dash in the
	 * middle of the message.
	 */
	private static Reason reason(String message) {
		if (hasCode(message, "READONLY")) {
			return Reason.READ_ONLY;
		}
		if (hasCode(message, "LOADING") || hasCode(message, "MASTERDOWN") || hasCode(message, "BUSY")) {
			return Reason.LOADING;
		}
		if (hasCode(message, "CLUSTERDOWN") || hasCode(message, "TRYAGAIN")) {
			return Reason.CLUSTER_DOWN;
		}
		if (hasCode(message, "OOM")) {
			return Reason.OUT_OF_MEMORY;
		}
		if (hasCode(message, "NOAUTH") || hasCode(message, "NOPERM") || hasCode(message, "WRONGPASS")
				|| message.contains("The user executing the script can't") || message.contains("No permissions")) {
			return Reason.NOT_AUTHORIZED;
		}
		return Reason.OTHER;
	}

	private static boolean hasCode(String message, String code) {
		return message.startsWith(code) || message.contains(" -" + code);
	}

	private static <T extends Throwable> @Nullable T find(@Nullable Throwable failure, Class<T> type) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (type.isInstance(cause)) {
				return type.cast(cause);
			}
		}
		return null;
	}

}
