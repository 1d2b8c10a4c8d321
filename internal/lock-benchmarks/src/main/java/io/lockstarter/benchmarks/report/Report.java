package io.lockstarter.benchmarks.report;

import java.util.List;

/**
 * Report of a run.
 *
 * @param form the form of the run
 * @param machine the machine
 * @param outcomes the outcomes of the scenarios
 * @param targets the targets, empty if they do not apply
 */
public record Report(String form, Machine machine, List<Outcome> outcomes, List<Target> targets) {
}
