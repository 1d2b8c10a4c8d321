/**
 * A page that shows the locks of all instances live, with experiments to start.
 */
@NullMarked
package io.lockstarter.sample.board;

import org.jspecify.annotations.NullMarked;
