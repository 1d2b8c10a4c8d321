/**
 * Tells listeners and observers what happens, without letting them do harm.
 */
@NullMarked
package io.lockstarter.engine.event;

import org.jspecify.annotations.NullMarked;
