/**
 * Cost of an annotated method compared to a plain one.
 */
@NullMarked
package io.lockstarter.benchmarks.aspect;

import org.jspecify.annotations.NullMarked;
