package io.lockstarter.benchmarks.worker;

/**
 * Order to a worker to acquire and release many locks once.
 *
 * @param names the prefix of the names of locks
 * @param locks the number of locks
 * @param threads the number of threads
 */
public record Visit(String names, int locks, int threads) {
}
