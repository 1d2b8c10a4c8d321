/**
 * The locking API, its exceptions and events, and the interface a lock backend
 * implements.
 */
@NullMarked
package io.lockstarter.core;

import org.jspecify.annotations.NullMarked;
