/**
 * Small web applications whose start is measured, each with a class path of its own.
 */
@NullMarked
package io.lockstarter.benchmarks.start;

import org.jspecify.annotations.NullMarked;
