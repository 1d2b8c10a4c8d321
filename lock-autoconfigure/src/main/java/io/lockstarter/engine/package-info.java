/**
 * Implementation of the lock registry. The implementation is asynchronous, and blocking
 * calls wait for it.
 */
@NullMarked
package io.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
