package io.lockstarter.redis.client;

import java.util.List;
import java.util.concurrent.CancellationException;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Translation of Redis errors to the exceptions of a lock.
 */
public final class RedisErrors {

	/**
	 * Messages of Redis for a command that its access rules forbid within a script, which
	 * have no error code: the first until 7.0, the second since 7.2.
	 */
	private static final List<String> NOT_AUTHORIZED_IN_SCRIPT = List.of("The user executing the script can't",
			"ACL failure in script");

	/** Index of the key of the waiters. */
	private static final int WAITERS = 2;

	private RedisErrors() {
	}

	/**
	 * Translates the failure of a script.
	 * @param name the name of the lock
	 * @param keys the keys of the script call. The third is the key of the waiters, the
	 * only one whose type the script does not check.
	 */
	public static LockBackendException translate(String name, List<String> keys, Throwable failure) {
		if (keys.size() > WAITERS && Causes.unwrap(failure) instanceof RedisFailure refusal
				&& refusal.hasCode("WRONGTYPE")) {
			return new LockBackendException(name, Reason.FOREIGN_KEY,
					refusal.located("no sorted set at " + keys.get(WAITERS)), refusal.mayHaveRunBefore(),
					refusal.getCause());
		}
		return translate(name, failure);
	}

	/**
	 * Translates the failure of a command.
	 * @param name the name of the lock
	 */
	public static LockBackendException translate(String name, Throwable failure) {
		Throwable cause = Causes.unwrap(failure);
		if (cause instanceof LockBackendException known) {
			return known;
		}
		RedisFailure explained = (cause instanceof RedisFailure known) ? known
				: new RedisFailure(RedisFailure.Kind.UNREACHABLE, cause);
		return new LockBackendException(name, reasonOf(cause), explained.detail(), explained.mayHaveRunBefore(),
				explained.getCause());
	}

	/**
	 * Returns whether a call was rejected because its keys are on several servers, as by
	 * a proxy in front of several shards.
	 * @param failure a translated failure
	 */
	public static boolean isCrossSlot(@Nullable Throwable failure) {
		return failure instanceof LockBackendException known && known.reason() == Reason.OTHER
				&& RedisFailure.isCrossSlot(known.detail());
	}

	private static Reason reasonOf(Throwable cause) {
		if (cause instanceof RedisFailure failure) {
			return switch (failure.kind()) {
				case REFUSED -> reasonOf(failure);
				case TIMEOUT, CONNECT_TIMEOUT -> Reason.TIMEOUT;
				case LOST, UNREACHABLE, DISCONNECTED -> Reason.UNREACHABLE;
			};
		}
		return (cause instanceof CancellationException) ? Reason.TIMEOUT : Reason.UNREACHABLE;
	}

	private static Reason reasonOf(RedisFailure refusal) {
		if (refusal.hasCode("READONLY") || refusal.isDemotion()) {
			return Reason.READ_ONLY;
		}
		if (refusal.hasCode("LOADING", "MASTERDOWN", "BUSY")) {
			return Reason.LOADING;
		}
		if (refusal.hasCode("CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK")) {
			return Reason.CLUSTER_DOWN;
		}
		if (refusal.hasCode("OOM")) {
			return Reason.OUT_OF_MEMORY;
		}
		if (refusal.hasCode("NOREPLICAS", "MISCONF")) {
			return Reason.WRITES_REFUSED;
		}
		if (refusal.isAuthenticationFailure() || refusal.hasCode("NOPERM")
				|| NOT_AUTHORIZED_IN_SCRIPT.stream().anyMatch(refusal.text()::contains)) {
			return Reason.NOT_AUTHORIZED;
		}
		return Reason.OTHER;
	}

}
