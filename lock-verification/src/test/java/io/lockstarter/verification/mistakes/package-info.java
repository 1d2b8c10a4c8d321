/**
 * Plants mistakes in the code and shows that its tests catch them.
 */
@NullMarked
package io.lockstarter.verification.mistakes;

import org.jspecify.annotations.NullMarked;
