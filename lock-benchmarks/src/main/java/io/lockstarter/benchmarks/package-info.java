/**
 * Measures the locks of this project beside those of other libraries.
 */
@NullMarked
package io.lockstarter.benchmarks;

import org.jspecify.annotations.NullMarked;
