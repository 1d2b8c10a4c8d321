package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * POSIX signals to processes.
 */
final class Signals {

	private Signals() {
	}

	/**
	 * Suspends a process by SIGSTOP, then waits until none of its threads runs.
	 */
	static void stop(long pid) {
		send("STOP", pid);
		awaitStandstill(pid);
	}

	/**
	 * Waits until no thread of a process runs after SIGSTOP was sent. The threads
	 * continue until one of them has received the signal, which may take long on a busy
	 * machine. Only Linux reports the state of threads; on other systems this method does
	 * not wait.
	 */
	static void awaitStandstill(long pid) {
		Path threads = Path.of("/proc", String.valueOf(pid), "task");
		if (Files.isDirectory(threads)) {
			Poll.until("process " + pid + " is suspended", () -> {
				try (Stream<Path> each = Files.list(threads)) {
					return each.allMatch(Signals::isSuspended);
				}
			});
		}
	}

	private static boolean isSuspended(Path thread) {
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
	 * Kills a process by SIGKILL, then waits for its end.
	 */
	static void kill(Process process) {
		await(process.destroyForcibly());
	}

	private static void send(String signal, long pid) {
		try {
			// The builtin of the shell, because not every system has the program
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
