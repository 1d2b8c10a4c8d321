/**
 * Measured scenarios.
 */
@NullMarked
package io.lockstarter.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
