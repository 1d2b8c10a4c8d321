/**
 * The one subscription of this JVM, and what its messages mean.
 * <p>
 * Redis counts a subscriber until TCP gives up on its connection. So a client that has
 * heard nothing for a while sends a message to its own channel, and subscribes anew if
 * the message does not come. A false alarm costs a subscription.
 */
@NullMarked
package io.lockstarter.redis.wake;

import org.jspecify.annotations.NullMarked;
