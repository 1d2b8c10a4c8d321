/**
 * Locks in one Redis, or in a majority of several, by Lua scripts.
 */
@NullMarked
package io.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
