/**
 * The proof that a database commits no update that others have not seen, whatever happens
 * to the locks.
 */
@NullMarked
package io.lockstarter.verification.fence;

import org.jspecify.annotations.NullMarked;
