/**
 * Plants mistakes in the code and shows that its tests catch them.
 */
@NullMarked
package io.lockstarter.verification.mutants;

import org.jspecify.annotations.NullMarked;
