/**
 * A majority of independent servers as one backend.
 */
@NullMarked
package io.lockstarter.redis.quorum;

import org.jspecify.annotations.NullMarked;
