/**
 * Notification of listeners and observers, none of which can affect a lock.
 */
@NullMarked
package io.lockstarter.engine.event;

import org.jspecify.annotations.NullMarked;
