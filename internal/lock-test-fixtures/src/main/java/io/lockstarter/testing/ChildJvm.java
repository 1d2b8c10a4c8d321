package io.lockstarter.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * JVM on the class path of this one, which exchanges lines with its parent. Its error
 * output is part of its lines. Its main method should call {@link #exitWithParent()}. It
 * inherits the compilers and the garbage collector of its parent, unless its options say
 * otherwise.
 */
public final class ChildJvm implements AutoCloseable {

	/**
	 * Compilers and garbage collector of the test JVMs, which their children have, too.
	 */
	private static final List<String> INHERITED = ManagementFactory.getRuntimeMXBean()
		.getInputArguments()
		.stream()
		.filter(Set.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")::contains)
		.toList();

	// Stops the process, then kills it if this JVM dies before it resumes the process
	private static final String STOP_GUARD = """
			trap '' INT TERM HUP
			kill -s STOP $0 && echo stopped
			read -r line || kill -9 $0""";

	private final Process process;

	private final List<String> transcript = new ArrayList<>();

	private final List<String> unread = new ArrayList<>();

	private boolean ended;

	private @Nullable Process stopGuard;

	private ChildJvm(Process process) {
		this.process = process;
		daemon("child-jvm-" + process.pid(), this::collectOutput);
	}

	public static ChildJvm start(Class<?> main, String... args) {
		return start(List.of(), main, args);
	}

	public static ChildJvm start(List<String> jvmOptions, Class<?> main, String... args) {
		return start(Path.of(System.getProperty("java.home")), jvmOptions, main, args);
	}

	/**
	 * Starts a JVM with its own wall clock.
	 */
	public static ChildJvm start(SteppableClock clock, Class<?> main, String... args) {
		return start(clock.launcher(), Path.of(System.getProperty("java.home")), List.of(), main, args);
	}

	/**
	 * Starts a JVM of another JDK.
	 */
	public static ChildJvm start(Path javaHome, List<String> jvmOptions, Class<?> main, String... args) {
		return start(List.of(), javaHome, jvmOptions, main, args);
	}

	private static ChildJvm start(List<String> launcher, Path javaHome, List<String> jvmOptions, Class<?> main,
			String... args) {
		List<String> command = new ArrayList<>(launcher);
		command.add(javaHome.resolve(Path.of("bin", "java")).toString());
		command.addAll(INHERITED);
		command.addAll(jvmOptions);
		command.add(main.getName());
		command.addAll(List.of(args));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
		try {
			return new ChildJvm(builder.start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends this child JVM as soon as its parent has ended.
	 */
	public static void exitWithParent() {
		exitWithParent((line) -> {
		});
	}

	/**
	 * Passes the lines of the parent to a consumer, and ends this child JVM as soon as
	 * the parent has ended. A failure of the consumer is printed, and the consumer gets
	 * the next line.
	 */
	public static void exitWithParent(Consumer<String> consumer) {
		daemon("exit-with-parent", () -> {
			forEachLine(System.in, (line) -> {
				try {
					consumer.accept(line);
				}
				catch (Throwable ex) {
					System.err.printf("Line '%s' failed: %s%n", line, ex);
				}
			});
			Runtime.getRuntime().halt(0);
		});
	}

	public long pid() {
		return this.process.pid();
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Waits for a line that matches. Each line is returned by one call only.
	 */
	public synchronized String awaitLine(Predicate<String> condition, Duration timeout) {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (true) {
			Optional<String> line = this.unread.stream().filter(condition).findFirst();
			if (line.isPresent()) {
				this.unread.remove(line.get());
				return line.get();
			}
			long remaining = deadline - System.nanoTime();
			if (this.ended || remaining <= 0) {
				throw new AssertionError("%s without a matching line. Output:%n%s"
					.formatted(this.ended ? "Child JVM ended" : timeout, String.join("\n", this.transcript)));
			}
			waitAtMost(remaining);
		}
	}

	/**
	 * Returns all lines so far.
	 */
	public synchronized List<String> output() {
		return List.copyOf(this.transcript);
	}

	public void send(String line) {
		try {
			this.process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends the child by SIGKILL.
	 */
	public void kill() {
		releaseStopGuard();
		Signals.kill(this.process);
	}

	/**
	 * Suspends the child by SIGSTOP, and returns when no thread of the child runs.
	 */
	public void stop() {
		try {
			this.stopGuard = new ProcessBuilder("sh", "-c", STOP_GUARD, String.valueOf(pid())).start();
			if (this.stopGuard.getInputStream().read() < 0) {
				throw new IllegalStateException("Could not stop child JVM " + pid());
			}
			Signals.awaitStandstill(pid());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Resumes a suspended child by SIGCONT.
	 */
	public void resume() {
		releaseStopGuard();
		Signals.resume(pid());
	}

	@Override
	public void close() {
		kill();
	}

	private void releaseStopGuard() {
		if (this.stopGuard != null) {
			Signals.kill(this.stopGuard);
			this.stopGuard = null;
		}
	}

	private void collectOutput() {
		forEachLine(this.process.getInputStream(), this::add);
		end();
	}

	private synchronized void add(String line) {
		this.transcript.add(line);
		this.unread.add(line);
		notifyAll();
	}

	private synchronized void end() {
		this.ended = true;
		notifyAll();
	}

	private void waitAtMost(long nanos) {
		try {
			TimeUnit.NANOSECONDS.timedWait(this, nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for a line", ex);
		}
	}

	private static void forEachLine(InputStream in, Consumer<String> consumer) {
		try {
			BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				consumer.accept(line);
			}
		}
		catch (IOException ex) {
			// The process at the other end has ended, which is the end of the stream
		}
	}

	private static void daemon(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

}
