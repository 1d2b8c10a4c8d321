/**
 * Commands to the backend that always end in time, and the timer.
 */
@NullMarked
package io.lockstarter.engine.command;

import org.jspecify.annotations.NullMarked;
