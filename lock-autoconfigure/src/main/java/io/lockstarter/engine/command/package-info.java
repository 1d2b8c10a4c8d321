/**
 * Commands to the backend that always end in time.
 */
@NullMarked
package io.lockstarter.engine.command;

import org.jspecify.annotations.NullMarked;
