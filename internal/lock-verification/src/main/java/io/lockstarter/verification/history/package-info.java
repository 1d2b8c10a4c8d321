/**
 * Histories of locks in several JVMs, recorded while faults are injected, and checked.
 */
@NullMarked
package io.lockstarter.verification.history;

import org.jspecify.annotations.NullMarked;
