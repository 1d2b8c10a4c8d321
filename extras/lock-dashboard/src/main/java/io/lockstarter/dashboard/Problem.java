package io.lockstarter.dashboard;

import io.lockstarter.dashboard.LockRow.Level;
import org.jspecify.annotations.Nullable;

/**
 * Something that is wrong with locks as a whole.
 *
 * @param level how bad it is
 * @param title what it is, in a few words
 * @param detail what that means, and what to do; may be empty
 * @param agoMillis since when, or {@code null} if that is not known
 */
record Problem(Level level, String title, String detail, @Nullable Long agoMillis) {
}
