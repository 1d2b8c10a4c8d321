/**
 * Small web applications whose start is measured, each with its own class path.
 */
@NullMarked
package io.lockstarter.benchmarks.start;

import org.jspecify.annotations.NullMarked;
