package io.lockstarter.verification.history.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Start-up settings of a worker JVM.
 *
 * @param jvm the unique number of the JVM
 * @param port the port of Redis on this host
 * @param lease the base of fixed leases and of hold times
 * @param renewedLease the lease of locks that are renewed
 * @param handoverLimit the limit on hand-overs while other instances wait
 * @param keys the locks
 * @param threads the number of threads
 * @param seed the seed of random choices
 * @param history the file for the history
 * @param guards the file with the guarded data
 */
public record WorkerOrder(int jvm, int port, Duration lease, Duration renewedLease, int handoverLimit,
		List<String> keys, int threads, long seed, Path history, Path guards) {

	/** Prefix of keys that have fair requests only. */
	public static final String FAIR_KEYS = "fair-";

	/**
	 * Returns the order as the arguments of a main method.
	 * @return the arguments
	 */
	public String[] arguments() {
		return new String[] { String.valueOf(this.jvm), String.valueOf(this.port),
				String.valueOf(this.lease.toMillis()), String.valueOf(this.renewedLease.toMillis()),
				String.valueOf(this.handoverLimit), String.join(",", this.keys), String.valueOf(this.threads),
				String.valueOf(this.seed), this.history.toString(), this.guards.toString() };
	}

	/**
	 * Reads an order from the arguments of a main method.
	 * @param arguments the arguments
	 * @return the order
	 */
	public static WorkerOrder of(String[] arguments) {
		return new WorkerOrder(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]),
				Duration.ofMillis(Long.parseLong(arguments[2])), Duration.ofMillis(Long.parseLong(arguments[3])),
				Integer.parseInt(arguments[4]), List.of(arguments[5].split(",")), Integer.parseInt(arguments[6]),
				Long.parseLong(arguments[7]), Path.of(arguments[8]), Path.of(arguments[9]));
	}

}
