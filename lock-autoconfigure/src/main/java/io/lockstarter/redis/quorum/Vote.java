package io.lockstarter.redis.quorum;

import java.time.Duration;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.LockBackend;

/**
 * What one server of a quorum says to a proposal.
 */
public sealed interface Vote {

	/** Whether the lock can be had there, with this proposal or another. */
	default boolean isWilling() {
		return false;
	}

	/**
	 * The tenure has the lock there.
	 *
	 * @param base the token base it has there
	 * @param contended whether other clients wait there
	 */
	record Granted(long base, boolean contended) implements Vote {

		@Override
		public boolean isWilling() {
			return true;
		}

	}

	/**
	 * The lock can be had there, but not with so low a base.
	 *
	 * @param least the lowest base that would do
	 */
	record TooLow(long least) implements Vote {

		@Override
		public boolean isWilling() {
			return true;
		}

	}

	/**
	 * The lock can be had there, but not with a base so far ahead of the server's clock.
	 */
	record TooHigh() implements Vote {

		@Override
		public boolean isWilling() {
			return true;
		}

	}

	/**
	 * Another has the lock there.
	 *
	 * @param answer the answer, as a single server would give it
	 */
	record Refused(LockBackend.Refused answer) implements Vote {
	}

	/**
	 * The tenure was ended there.
	 */
	record Ended() implements Vote {
	}

	/**
	 * The server may not vote, having lost its memory.
	 *
	 * @param remaining for how long
	 */
	record Abstained(Duration remaining) implements Vote {
	}

	/**
	 * There was no vote.
	 *
	 * @param cause why
	 */
	record Failed(LockBackendException cause) implements Vote {
	}

}
