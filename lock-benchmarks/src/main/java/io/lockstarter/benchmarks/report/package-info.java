/**
 * What is made of the figures.
 */
@NullMarked
package io.lockstarter.benchmarks.report;

import org.jspecify.annotations.NullMarked;
