/**
 * Locks under faults, each on a real Redis of its own, and the exact number of commands
 * they cost.
 */
@NullMarked
package io.lockstarter.faults;

import org.jspecify.annotations.NullMarked;
