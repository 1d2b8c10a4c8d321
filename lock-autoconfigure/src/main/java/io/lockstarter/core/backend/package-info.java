/**
 * Contract of a lock store.
 */
@NullMarked
package io.lockstarter.core.backend;

import org.jspecify.annotations.NullMarked;
