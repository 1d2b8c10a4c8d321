/**
 * Verification of fencing tokens by the database: tokens in a table are registered before
 * the work and verified before each commit. {@link Fence} needs only JDBC, and the other
 * types need Spring's transactions.
 */
@NullMarked
package io.lockstarter.fence;

import org.jspecify.annotations.NullMarked;
