package io.lockstarter.benchmarks.worker;

/**
 * Tells a worker to take and release many locks once.
 *
 * @param names the start of their names
 * @param locks how many there are
 * @param threads how many threads share the work
 */
public record Visit(String names, int locks, int threads) {
}
