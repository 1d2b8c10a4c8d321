package io.lockstarter.verification.history.recording;

import io.lockstarter.core.LockType;

/**
 * Request that did not get its lock.
 *
 * @param jvm the number of the JVM
 * @param key the name of the lock
 * @param type the requested type
 * @param invoked the time of the request
 * @param ended the time of completion
 * @param outcome the reason: an abbreviated name of an exception
 */
public record Miss(int jvm, String key, LockType type, long invoked, long ended, String outcome) {
}
