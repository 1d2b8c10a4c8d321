/**
 * Pictures that all instances render, three at a time by default.
 */
@NullMarked
package io.lockstarter.sample.rendering;

import org.jspecify.annotations.NullMarked;
