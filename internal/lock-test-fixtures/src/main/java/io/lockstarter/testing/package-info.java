/**
 * Redis servers, networks and processes that tests can break.
 */
@NullMarked
package io.lockstarter.testing;

import org.jspecify.annotations.NullMarked;
