/**
 * Planted mistakes in the code, and checks that tests catch them.
 */
@NullMarked
package io.lockstarter.verification.mistakes;

import org.jspecify.annotations.NullMarked;
