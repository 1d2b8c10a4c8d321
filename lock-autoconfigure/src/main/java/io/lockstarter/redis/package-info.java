/**
 * Locks in one Redis, by Lua scripts.
 */
@NullMarked
package io.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
