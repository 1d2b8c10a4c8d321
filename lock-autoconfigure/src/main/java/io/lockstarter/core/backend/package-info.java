/**
 * The interface a lock backend implements.
 */
@NullMarked
package io.lockstarter.core.backend;

import org.jspecify.annotations.NullMarked;
