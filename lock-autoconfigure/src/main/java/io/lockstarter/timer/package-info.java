/**
 * A timer that takes no lock.
 */
@NullMarked
package io.lockstarter.timer;

import org.jspecify.annotations.NullMarked;
