/**
 * Lettuce and Jedis, reduced to the call of a script, with repetition and translated
 * errors.
 */
@NullMarked
package io.lockstarter.redis.client;

import org.jspecify.annotations.NullMarked;
