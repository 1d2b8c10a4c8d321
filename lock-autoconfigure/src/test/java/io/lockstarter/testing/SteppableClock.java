package io.lockstarter.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/**
 * The wall clock of one process, which can be set while that runs. Its monotonic clock is
 * the machine's. It takes Linux, a C compiler, and a program that is linked dynamically.
 */
public final class SteppableClock implements AutoCloseable {

	private static final String SHIM = """
			#define _GNU_SOURCE
			#include <fcntl.h>
			#include <stdlib.h>
			#include <sys/mman.h>
			#include <sys/syscall.h>
			#include <sys/time.h>
			#include <time.h>
			#include <unistd.h>

			static volatile long long *seconds;

			__attribute__((constructor)) static void map(void) {
			  const char *name = getenv("STEPPABLE_CLOCK");
			  int file = name ? open(name, O_RDONLY) : -1;
			  if (file < 0) return;
			  void *page = mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
			  if (page != MAP_FAILED) seconds = page;
			  close(file);
			}

			int clock_gettime(clockid_t clock, struct timespec *now) {
			  int result = syscall(SYS_clock_gettime, clock, now);
			  if (result == 0 && seconds && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
			    now->tv_sec += *seconds;
			  return result;
			}

			int gettimeofday(struct timeval *restrict now, void *restrict zone) {
			  struct timespec precise;
			  int result = clock_gettime(CLOCK_REALTIME, &precise);
			  now->tv_sec = precise.tv_sec;
			  now->tv_usec = precise.tv_nsec / 1000;
			  return result;
			}

			time_t time(time_t *copy) {
			  struct timespec precise;
			  clock_gettime(CLOCK_REALTIME, &precise);
			  if (copy) *copy = precise.tv_sec;
			  return precise.tv_sec;
			}
			""";

	private static final Path LIBRARY = Path.of("target", "steppable-clock.so").toAbsolutePath();

	private static final boolean AVAILABLE = look();

	private final Path file;

	private SteppableClock(Path file) {
		this.file = file;
	}

	/**
	 * Whether there are such clocks for the server to start; the build's output says so.
	 */
	public static boolean isAvailable() {
		return AVAILABLE;
	}

	private static boolean look() {
		String obstacle = obstacle();
		System.out.println("Clock tests: " + (obstacle.isEmpty() ? "RUN" : "NOT RUN because %s".formatted(obstacle)));
		return obstacle.isEmpty();
	}

	private static String obstacle() {
		if (!System.getProperty("os.name").equals("Linux")) {
			return "this is not Linux";
		}
		try {
			String refusal = compile();
			return refusal.isEmpty() ? obstacleInServer() : refusal;
		}
		catch (IOException ex) {
			return "there is no C compiler (%s)".formatted(ex.getMessage());
		}
	}

	private static String compile() throws IOException {
		Path made = Files.createTempFile(LIBRARY.getParent(), "steppable-clock", ".so");
		Process compiler = new ProcessBuilder(
				List.of("cc", "-shared", "-fPIC", "-O2", "-o", made.toString(), "-x", "c", "-"))
			.redirectErrorStream(true)
			.start();
		try (var source = compiler.getOutputStream()) {
			source.write(SHIM.getBytes(StandardCharsets.UTF_8));
		}
		String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (!output.isBlank()) {
			Files.delete(made);
			return "the C compiler says " + output.strip();
		}
		Files.move(made, LIBRARY, StandardCopyOption.ATOMIC_MOVE);
		return "";
	}

	private static String obstacleInServer() {
		try (SteppableClock clock = create(); RedisServer redis = RedisServer.startGuarded(clock)) {
			long before = seconds(redis);
			clock.step(Duration.ofHours(1));
			return (seconds(redis) - before > 1800) ? "" : "%s does not take another clock; it may be linked statically"
				.formatted(RedisBinary.current().path());
		}
	}

	private static long seconds(RedisServer redis) {
		return Long.parseLong(((List<?>) redis.cli("TIME")).get(0).toString());
	}

	/** A clock that shows the right time as yet. */
	public static SteppableClock create() {
		try {
			Path file = Files.createTempFile("steppable-clock", ".offset");
			Files.write(file, new byte[Long.BYTES]);
			return new SteppableClock(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** What has to be in front of a command for it to have this clock. */
	List<String> launcher() {
		return List.of("env", "LD_PRELOAD=" + LIBRARY, "STEPPABLE_CLOCK=" + this.file);
	}

	/**
	 * Set the clock forward, or back.
	 * @param by whole seconds, negative to set it back
	 */
	public void step(Duration by) {
		try (RandomAccessFile offset = new RandomAccessFile(this.file.toFile(), "rw")) {
			ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
			offset.getChannel().read(bytes, 0);
			bytes.putLong(0, bytes.getLong(0) + by.toSeconds()).rewind();
			offset.getChannel().write(bytes, 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			Files.deleteIfExists(this.file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
