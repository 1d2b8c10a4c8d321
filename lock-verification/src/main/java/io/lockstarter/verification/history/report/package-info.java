/**
 * Tells what a run did and found.
 */
@NullMarked
package io.lockstarter.verification.history.report;

import org.jspecify.annotations.NullMarked;
