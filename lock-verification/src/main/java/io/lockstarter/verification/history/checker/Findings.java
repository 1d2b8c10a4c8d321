package io.lockstarter.verification.history.checker;

import java.util.List;

/**
 * What the check of a round found.
 *
 * @param figures what was counted
 * @param violations the first violations of each kind
 */
public record Findings(Figures figures, List<Violation> violations) {
}
