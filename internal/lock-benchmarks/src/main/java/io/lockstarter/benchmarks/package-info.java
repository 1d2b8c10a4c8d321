/**
 * Benchmarks of the locks of this project and of other libraries.
 */
@NullMarked
package io.lockstarter.benchmarks;

import org.jspecify.annotations.NullMarked;
