package io.lockstarter.benchmarks.report;

import java.util.List;

/**
 * Everything that a run has found.
 *
 * @param form how thoroughly it measured
 * @param machine on what
 * @param outcomes what it measured
 * @param targets what that says of our targets, none if they do not apply
 */
public record Report(String form, Machine machine, List<Outcome> outcomes, List<Target> targets) {
}
