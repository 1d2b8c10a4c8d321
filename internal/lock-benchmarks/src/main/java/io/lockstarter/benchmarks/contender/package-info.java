/**
 * Compared libraries, one class each.
 */
@NullMarked
package io.lockstarter.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
