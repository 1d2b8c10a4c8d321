/**
 * Locks in one Redis, implemented by Lua scripts.
 */
@NullMarked
package io.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
