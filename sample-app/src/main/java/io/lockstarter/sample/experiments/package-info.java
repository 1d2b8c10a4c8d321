/**
 * Experiments with locks. The page of all locks is that of {@code lock-dashboard}.
 */
@NullMarked
package io.lockstarter.sample.experiments;

import org.jspecify.annotations.NullMarked;
