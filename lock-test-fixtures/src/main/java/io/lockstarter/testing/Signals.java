package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Sends POSIX signals to processes.
 */
final class Signals {

	private Signals() {
	}

	/**
	 * Freeze a process with SIGSTOP, then wait until it stands still.
	 */
	static void stop(long pid) {
		send("STOP", pid);
		awaitStandstill(pid);
	}

	/**
	 * Wait until no thread of a process that was sent SIGSTOP runs any more. The signal
	 * returns before that: the others run on until one of them has received it, which on
	 * a busy machine takes longer than what comes next. Linux alone tells; elsewhere
	 * there is nothing to wait for.
	 */
	static void awaitStandstill(long pid) {
		Path threads = Path.of("/proc", String.valueOf(pid), "task");
		if (Files.isDirectory(threads)) {
			Poll.until("process " + pid + " stands still", () -> {
				try (Stream<Path> each = Files.list(threads)) {
					return each.allMatch(Signals::standsStill);
				}
			});
		}
	}

	private static boolean standsStill(Path thread) {
		try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
			return lines.anyMatch((line) -> line.matches("State:\\s+[TtZX].*"));
		}
		catch (NoSuchFileException ex) {
			return true;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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
			int exit = await(
					new ProcessBuilder("sh", "-c", String.format(Locale.ROOT, "kill -s %s %d", signal, pid)).start());
			if (exit != 0) {
				throw new IllegalStateException(
						String.format(Locale.ROOT, "Signal %s did not reach process %d", signal, pid));
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
