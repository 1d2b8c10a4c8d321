/**
 * What every backend and every registry over it must do, inherited by a test class for
 * each place locks are kept in.
 */
@NullMarked
package io.lockstarter.contract;

import org.jspecify.annotations.NullMarked;
