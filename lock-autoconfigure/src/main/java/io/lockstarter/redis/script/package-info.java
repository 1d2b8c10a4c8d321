/**
 * Keys, scripts, their arguments and replies: the only place that knows what is where in
 * Redis.
 * <p>
 * A script first does what there is to do if the lock is free and nobody waits, and names
 * the files for the rest behind that: in Lua each definition costs time whenever it is
 * passed. The hash of a lock has a flag that tells a release to look for waiting clients.
 * The flag is only ever added: one too many costs a look, one too few a wake-up.
 * <p>
 * A client numbers its holds of a lock, so one mark for each client says which have
 * ended: the highest number. The mark is left only if a command may still arrive late. It
 * names at most 64 characters of other holds, since Redis stores a hash with longer
 * values in more than twice the memory.
 */
@NullMarked
package io.lockstarter.redis.script;

import org.jspecify.annotations.NullMarked;
