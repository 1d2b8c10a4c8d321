/**
 * Worker JVMs, which run the measured code.
 */
@NullMarked
package io.lockstarter.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
