/**
 * Verification of the guarantees that the locks give.
 */
@NullMarked
package io.lockstarter.verification;

import org.jspecify.annotations.NullMarked;
