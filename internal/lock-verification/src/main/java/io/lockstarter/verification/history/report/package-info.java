/**
 * Reports of runs.
 */
@NullMarked
package io.lockstarter.verification.history.report;

import org.jspecify.annotations.NullMarked;
