/**
 * Keys, scripts, arguments and replies: the only package that knows the layout of the
 * data in Redis.
 * <p>
 * A script first handles a lock that is free and has no waiting clients, and includes
 * library files only after that: in Lua each definition costs time whenever it is
 * executed. The hash of a lock has a flag that makes a release check for waiting clients.
 * The flag is only ever set: a superfluous flag costs a check, a missing one would cost a
 * wake-up.
 * <p>
 * A client numbers its tenures of a lock. So one tombstone per client, with the highest
 * number, records which tenures have ended. A release leaves the tombstone only if a
 * command may still arrive late. A tombstone lists at most 64 characters of other
 * tenures, because Redis stores a hash with longer values in more than twice the memory.
 */
@NullMarked
package io.lockstarter.redis.script;

import org.jspecify.annotations.NullMarked;
