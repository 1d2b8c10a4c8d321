/**
 * The database's say in what may be committed under a lock: fencing tokens in a table,
 * registered before the work and verified before each commit. {@link Fence} needs JDBC
 * only; the rest needs Spring's transactions.
 */
@NullMarked
package io.lockstarter.fence;

import org.jspecify.annotations.NullMarked;
