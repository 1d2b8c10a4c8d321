/**
 * The business of the box office. Everything here reads, thinks and writes, and is right
 * only because a lock keeps other instances from writing in between.
 */
@NullMarked
package io.lockstarter.sample.boxoffice;

import org.jspecify.annotations.NullMarked;
