/**
 * The one subscription of this JVM, and what its messages mean.
 */
@NullMarked
package io.lockstarter.redis.wake;

import org.jspecify.annotations.NullMarked;
