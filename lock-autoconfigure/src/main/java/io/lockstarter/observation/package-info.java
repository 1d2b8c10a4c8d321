/**
 * Meters, observations and warnings of locks.
 */
@NullMarked
package io.lockstarter.observation;

import org.jspecify.annotations.NullMarked;
