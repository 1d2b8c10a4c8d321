/**
 * What JVMs write down of their locks.
 */
@NullMarked
package io.lockstarter.verification.history.recording;

import org.jspecify.annotations.NullMarked;
