/**
 * What an annotated method costs beside a plain one.
 */
@NullMarked
package io.lockstarter.benchmarks.aspect;

import org.jspecify.annotations.NullMarked;
