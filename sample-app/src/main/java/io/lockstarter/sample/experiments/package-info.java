/**
 * Experiments with locks. The page of all locks comes from {@code lock-dashboard}.
 */
@NullMarked
package io.lockstarter.sample.experiments;

import org.jspecify.annotations.NullMarked;
