/**
 * Worker JVMs, which acquire locks and record their holds.
 */
@NullMarked
package io.lockstarter.verification.history.worker;

import org.jspecify.annotations.NullMarked;
