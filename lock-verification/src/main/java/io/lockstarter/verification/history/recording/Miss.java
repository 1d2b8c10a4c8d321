package io.lockstarter.verification.history.recording;

import io.lockstarter.core.LockType;

/**
 * A request that did not get its lock.
 *
 * @param jvm the number of the JVM
 * @param key the lock's name
 * @param type what was asked for
 * @param invoked when it was asked for
 * @param ended when the asker gave up or was told
 * @param outcome why: the name of an exception, in short
 */
public record Miss(int jvm, String key, LockType type, long invoked, long ended, String outcome) {
}
