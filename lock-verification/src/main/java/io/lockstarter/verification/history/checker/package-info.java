/**
 * Judges recorded histories by what the locks promise.
 */
@NullMarked
package io.lockstarter.verification.history.checker;

import org.jspecify.annotations.NullMarked;
