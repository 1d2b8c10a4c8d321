/**
 * The only subscription of this JVM, and the meaning of its messages.
 * <p>
 * Redis counts a subscriber until TCP closes its connection. So a client that has
 * received nothing for a while sends a message to its own channel, and replaces the
 * subscription if the message does not arrive. A false alarm costs one new subscription.
 */
@NullMarked
package io.lockstarter.redis.wake;

import org.jspecify.annotations.NullMarked;
