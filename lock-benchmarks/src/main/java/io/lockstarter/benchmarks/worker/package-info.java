/**
 * What runs in the JVMs that are measured.
 */
@NullMarked
package io.lockstarter.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
