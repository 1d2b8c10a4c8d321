/**
 * What happens to one name in this JVM: queue, hand-over, asking, waiting, releasing.
 * <p>
 * A grant belongs to the queue, not to the thread that asked: whoever is at its head gets
 * the lock. So a thread that is interrupted or runs out of time just leaves the queue,
 * and leaves nothing behind. A JVM that cannot hand a lock over returns to Redis a few
 * times before another instance is woken, since strict alternation would have every hold
 * wait for a message.
 */
@NullMarked
package io.lockstarter.engine.lock;

import org.jspecify.annotations.NullMarked;
