/**
 * Measurement of the latency of reported losses.
 */
@NullMarked
package io.lockstarter.verification.history.latency;

import org.jspecify.annotations.NullMarked;
