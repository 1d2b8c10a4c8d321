/**
 * Measures how long it takes until a holder is told that its lock is lost.
 */
@NullMarked
package io.lockstarter.verification.history.latency;

import org.jspecify.annotations.NullMarked;
