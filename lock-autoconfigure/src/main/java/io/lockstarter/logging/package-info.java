/**
 * Logging that never blocks the thread that logs.
 */
@NullMarked
package io.lockstarter.logging;

import org.jspecify.annotations.NullMarked;
