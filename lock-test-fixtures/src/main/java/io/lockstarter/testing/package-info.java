/**
 * A Redis, a network and processes that tests can break at will.
 */
@NullMarked
package io.lockstarter.testing;

import org.jspecify.annotations.NullMarked;
