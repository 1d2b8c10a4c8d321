/**
 * Tests that a database with fencing loses no update, even if locks are lost.
 */
@NullMarked
package io.lockstarter.verification.fence;

import org.jspecify.annotations.NullMarked;
