package io.lockstarter.dashboard;

import io.lockstarter.dashboard.LockRow.Level;
import org.jspecify.annotations.Nullable;

/**
 * Problem in the summary of the page.
 *
 * @param level the severity of the problem
 * @param title a short description
 * @param detail the meaning of the problem and the remedy; may be empty
 * @param agoMillis the time since the problem began, or {@code null} if it is unknown
 */
record Problem(Level level, String title, String detail, @Nullable Long agoMillis) {
}
