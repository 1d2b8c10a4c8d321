/**
 * A majority of independent servers as one backend.
 * <p>
 * The client proposes a token, and each server accepts only one above its own counter.
 * The maximum of the counters of a majority would give a token twice, with or without
 * writing it back: {@code QuorumModelTests} shows both. An attempt without a majority is
 * ended on all servers, including those that have not answered. A server that has
 * forgotten a lock gets it back after a renewal by a majority of the others.
 */
@NullMarked
package io.lockstarter.redis.quorum;

import org.jspecify.annotations.NullMarked;
