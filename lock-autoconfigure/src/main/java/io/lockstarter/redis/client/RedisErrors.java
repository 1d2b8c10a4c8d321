package io.lockstarter.redis.client;

import java.util.List;
import java.util.concurrent.CancellationException;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * What Redis's errors mean for a lock.
 */
public final class RedisErrors {

	/**
	 * What a script is told that may not do something has no code: until 7.0, since 7.2.
	 */
	private static final List<String> NOT_AUTHORIZED_IN_SCRIPT = List.of("The user executing the script can't",
			"ACL failure in script");

	private static final int WAITERS = 2;

	private RedisErrors() {
	}

	/**
	 * Translate the failure of a script for a lock.
	 * @param keys what it was called with: the waiters are the third, and the only one
	 * whose type it does not look at itself
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
	 * Return whether Redis has refused a call that names keys of several servers, as a
	 * proxy in front of several shards does.
	 * @param failure a failure as it was translated
	 */
	public static boolean isOfSeveralServers(@Nullable Throwable failure) {
		return failure instanceof LockBackendException known && known.reason() == Reason.OTHER
				&& RedisFailure.isOfSeveralServers(known.detail());
	}

	private static Reason reasonOf(Throwable cause) {
		if (cause instanceof RedisFailure failure) {
			return switch (failure.kind()) {
				case REFUSED -> reasonOf(failure);
				case TIMEOUT, CONNECT_TIMEOUT -> Reason.TIMEOUT;
				case LOST, UNREACHABLE, DISCONNECTED, RECONNECTING -> Reason.UNREACHABLE;
			};
		}
		return (cause instanceof CancellationException) ? Reason.TIMEOUT : Reason.UNREACHABLE;
	}

	private static Reason reasonOf(RedisFailure refusal) {
		if (refusal.hasCode("READONLY") || refusal.isOfDemotion()) {
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
		if (refusal.isOfCredentials() || refusal.hasCode("NOPERM")
				|| NOT_AUTHORIZED_IN_SCRIPT.stream().anyMatch(refusal.text()::contains)) {
			return Reason.NOT_AUTHORIZED;
		}
		return Reason.OTHER;
	}

}
