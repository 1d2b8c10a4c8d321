/**
 * Reports of measured figures.
 */
@NullMarked
package io.lockstarter.benchmarks.report;

import org.jspecify.annotations.NullMarked;
