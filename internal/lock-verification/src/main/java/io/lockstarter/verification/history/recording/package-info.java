/**
 * Recorded histories of the locks of a JVM.
 */
@NullMarked
package io.lockstarter.verification.history.recording;

import org.jspecify.annotations.NullMarked;
