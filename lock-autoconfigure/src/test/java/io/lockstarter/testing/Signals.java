package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Sends POSIX signals to processes.
 */
final class Signals {

	private Signals() {
	}

	static void stop(long pid) {
		send("STOP", pid);
	}

	static void resume(long pid) {
		send("CONT", pid);
	}

	/**
	 * Kill a process with SIGKILL, then wait for its end.
	 */
	static void kill(Process process) {
		await(process.destroyForcibly());
	}

	private static void send(String signal, long pid) {
		try {
			// The kill of the shell: the program of that name is not everywhere
			int exit = await(new ProcessBuilder("sh", "-c", "kill -s %s %d".formatted(signal, pid)).start());
			if (exit != 0) {
				throw new IllegalStateException("Signal %s did not reach process %d".formatted(signal, pid));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int await(Process process) {
		try {
			return process.waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for process " + process.pid(), ex);
		}
	}

}
