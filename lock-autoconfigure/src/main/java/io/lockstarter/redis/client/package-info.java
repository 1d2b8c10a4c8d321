/**
 * Clients of Lettuce and Jedis that call scripts with retries and translated errors.
 */
@NullMarked
package io.lockstarter.redis.client;

import org.jspecify.annotations.NullMarked;
