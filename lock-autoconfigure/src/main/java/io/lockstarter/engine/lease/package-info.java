/**
 * How long a lock may be relied on, and the watchdog that renews it.
 */
@NullMarked
package io.lockstarter.engine.lease;

import org.jspecify.annotations.NullMarked;
