package io.lockstarter.sample.board;

import java.time.Instant;
import java.util.List;

import io.lockstarter.actuate.LocksDescriptor;

/**
 * What one instance knows of its locks at one moment.
 *
 * @param instance the instance
 * @param takenAt the moment
 * @param leaseMillis how many milliseconds a renewed lease lasts
 * @param locks the locks, as the endpoint tells them
 * @param figures what was counted since the instance started
 * @param events the latest events, oldest first
 */
record Snapshot(String instance, Instant takenAt, long leaseMillis, LocksDescriptor locks, Tally.Figures figures,
		List<Event> events) {
}
