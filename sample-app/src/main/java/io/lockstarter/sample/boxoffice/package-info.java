/**
 * Business logic of the box office. Each operation reads, waits and writes. It is correct
 * only because a lock prevents other instances from writing in between.
 */
@NullMarked
package io.lockstarter.sample.boxoffice;

import org.jspecify.annotations.NullMarked;
