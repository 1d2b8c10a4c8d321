/**
 * An application that has one dependency more than it needs for its locks.
 */
@NullMarked
package io.lockstarter.fresh;

import org.jspecify.annotations.NullMarked;
