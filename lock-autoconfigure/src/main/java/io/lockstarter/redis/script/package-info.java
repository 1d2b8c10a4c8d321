/**
 * Keys, scripts, their arguments and replies: the only place that knows what is where in
 * Redis.
 */
@NullMarked
package io.lockstarter.redis.script;

import org.jspecify.annotations.NullMarked;
