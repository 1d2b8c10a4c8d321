/**
 * A majority of independent servers as one backend.
 * <p>
 * The client proposes a token, and each server accepts only a token above its own
 * counter. Using the maximum of the counters of a majority instead would grant a token
 * twice, with or without writing the maximum back: {@code QuorumModelTests} shows both.
 * An attempt without a majority is ended on all servers, including those that have not
 * replied. On a server that has lost a lock, the lock is restored after a renewal by a
 * majority of the other servers.
 */
@NullMarked
package io.lockstarter.redis.quorum;

import org.jspecify.annotations.NullMarked;
