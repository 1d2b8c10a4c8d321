/**
 * Locks within one JVM, for tests and applications of a single instance.
 */
@NullMarked
package io.lockstarter.memory;

import org.jspecify.annotations.NullMarked;
