/**
 * Leases, the clocks that measure them, and fencing tokens.
 */
@NullMarked
package io.lockstarter.engine.lease;

import org.jspecify.annotations.NullMarked;
