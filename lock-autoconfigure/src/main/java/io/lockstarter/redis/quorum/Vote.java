package io.lockstarter.redis.quorum;

import java.time.Duration;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.LockBackend;

/**
 * Reply of one quorum server to a proposal.
 */
public sealed interface Vote {

	/**
	 * Vote of a server that would grant the lock, with this proposal or another one.
	 */
	sealed interface Willing extends Vote {

	}

	/**
	 * The server has granted the lock.
	 *
	 * @param base the token base that was granted
	 * @param contended whether other clients wait on this server
	 */
	record Granted(long base, boolean contended) implements Willing {
	}

	/**
	 * The server would grant the lock with a higher base.
	 *
	 * @param least the lowest base that the server would grant
	 */
	record TooLow(long least) implements Willing {
	}

	/**
	 * The server would grant the lock with a base that is less far ahead of its clock.
	 */
	record TooHigh() implements Willing {
	}

	/**
	 * Another tenure holds the lock on this server.
	 *
	 * @param reply the reply of the server
	 */
	record Refused(LockBackend.Refused reply) implements Vote {
	}

	/**
	 * The tenure was ended on this server.
	 */
	record Ended() implements Vote {
	}

	/**
	 * The server abstains because it has lost its data.
	 *
	 * @param remaining the time until the server votes
	 */
	record Abstained(Duration remaining) implements Vote {
	}

	/**
	 * The server did not vote.
	 *
	 * @param cause the failure
	 */
	record Failed(LockBackendException cause) implements Vote {
	}

}
