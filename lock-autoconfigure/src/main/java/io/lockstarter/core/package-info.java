/**
 * Locking API with its exceptions and events.
 */
@NullMarked
package io.lockstarter.core;

import org.jspecify.annotations.NullMarked;
