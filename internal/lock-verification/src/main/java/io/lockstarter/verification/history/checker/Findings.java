package io.lockstarter.verification.history.checker;

import java.util.List;

/**
 * Findings of the check of a round.
 *
 * @param figures the counts and measurements
 * @param violations the first violations of each kind
 */
public record Findings(Figures figures, List<Violation> violations) {
}
