/**
 * Commands to the backend, each with a timeout.
 */
@NullMarked
package io.lockstarter.engine.command;

import org.jspecify.annotations.NullMarked;
