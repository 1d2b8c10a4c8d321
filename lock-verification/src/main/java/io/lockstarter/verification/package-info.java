/**
 * Attacks the claims of the locks.
 */
@NullMarked
package io.lockstarter.verification;

import org.jspecify.annotations.NullMarked;
