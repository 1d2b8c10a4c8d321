/**
 * What Micrometer is told about locks.
 */
@NullMarked
package io.lockstarter.observation;

import org.jspecify.annotations.NullMarked;
