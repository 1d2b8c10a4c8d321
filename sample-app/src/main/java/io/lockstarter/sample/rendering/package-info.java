/**
 * Pictures that all instances render, three at a time.
 */
@NullMarked
package io.lockstarter.sample.rendering;

import org.jspecify.annotations.NullMarked;
