/**
 * Checks of recorded histories against the guarantees of the locks.
 */
@NullMarked
package io.lockstarter.verification.history.checker;

import org.jspecify.annotations.NullMarked;
