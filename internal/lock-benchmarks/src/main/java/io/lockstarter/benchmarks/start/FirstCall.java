package io.lockstarter.benchmarks.start;

/**
 * Measurements of an application after its first call.
 *
 * @param readyNanos the time of readiness, by the {@link System#nanoTime()} that all
 * processes of one machine share
 * @param doneNanos the end of the call
 * @param cpuNanos the processor time of the process until the end of the call
 * @param threadsReady the threads of an application that is ready
 * @param threadsCalled the threads after the call
 * @param classes the classes that were loaded
 */
public record FirstCall(long readyNanos, long doneNanos, long cpuNanos, int threadsReady, int threadsCalled,
		long classes) {

	private static final String START = "first call ";

	/** Formats the measurements as a line. */
	String line() {
		return START + String.join(" ", String.valueOf(this.readyNanos), String.valueOf(this.doneNanos),
				String.valueOf(this.cpuNanos), String.valueOf(this.threadsReady), String.valueOf(this.threadsCalled),
				String.valueOf(this.classes));
	}

	/**
	 * Returns whether a line of the application's output contains the measurements.
	 * @param line the line
	 * @return {@code true} if it does
	 */
	public static boolean isIn(String line) {
		return line.startsWith(START);
	}

	/**
	 * Reads such a line.
	 * @param line the line
	 * @return the measurements
	 */
	public static FirstCall read(String line) {
		String[] parts = line.substring(START.length()).split(" ", -1);
		return new FirstCall(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]),
				Integer.parseInt(parts[3]), Integer.parseInt(parts[4]), Long.parseLong(parts[5]));
	}

}
