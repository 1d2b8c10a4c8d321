/**
 * The smallest application.
 */
@NullMarked
package io.lockstarter.smallest;

import org.jspecify.annotations.NullMarked;
