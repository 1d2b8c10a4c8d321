/**
 * Lock of one name in this JVM: its queue, hand-over, requests to the backend, and
 * releases.
 * <p>
 * A grant belongs to the queue, not to the request for which it was sent: the request at
 * the head of the queue gets the lock. A thread that is interrupted or reaches its
 * deadline therefore only leaves the queue. A JVM that cannot hand a lock over acquires
 * it from Redis again a few times before it wakes another instance, because strict
 * alternation would make every hold wait for a message.
 */
@NullMarked
package io.lockstarter.engine.lock;

import org.jspecify.annotations.NullMarked;
