package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.awaitility.core.ConditionTimeoutException;

import static org.awaitility.Awaitility.await;

/**
 * Wall clock of one process, which can be set and stopped while the process runs. The
 * monotonic clock of the process is that of the machine. The wall clock requires Linux, a
 * C compiler and a dynamically linked program.
 * <p>
 * Redis uses its wall clock for {@code TIME}, for expiry, and for the timeouts of blocked
 * clients, as by {@code WAIT}. While the clock is stopped, none of these ends until the
 * test steps the clock.
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

			/* Nanoseconds: offset of the clock, and time at which it is stopped, or 0 while it runs */
			static volatile long long *shared;

			__attribute__((constructor)) static void map(void) {
			  const char *name = getenv("STEPPABLE_CLOCK");
			  int file = name ? open(name, O_RDONLY) : -1;
			  if (file < 0) return;
			  void *page = mmap(NULL, 2 * sizeof *shared, PROT_READ, MAP_SHARED, file, 0);
			  if (page != MAP_FAILED) shared = page;
			  close(file);
			}

			int clock_gettime(clockid_t clock, struct timespec *now) {
			  int result = syscall(SYS_clock_gettime, clock, now);
			  if (result == 0 && shared && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
			    long long frozen = shared[1];
			    long long nanos = frozen ? frozen : now->tv_sec * 1000000000LL + now->tv_nsec + shared[0];
			    now->tv_sec = nanos / 1000000000;
			    now->tv_nsec = nanos % 1000000000;
			  }
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

	private static final VarHandle WORDS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	/** Index of the word with the offset from the machine's clock. */
	private static final int OFFSET = 0;

	/** Index of the word with the time at which the clock is stopped. */
	private static final int FROZEN = Long.BYTES;

	/** Maximum time for a server to notice a step of the clock: 5 s. */
	private static final Duration STEP_TIMEOUT = Duration.ofSeconds(5);

	private static final Path LIBRARY = Path.of("target", "steppable-clock.so").toAbsolutePath();

	private static final Optional<String> OBSTACLE = findObstacle();

	private final Path file;

	private final ByteBuffer shared;

	private SteppableClock(Path file, ByteBuffer shared) {
		this.file = file;
		this.shared = shared;
	}

	/** Returns whether the Redis server supports such a clock. */
	public static boolean isAvailable() {
		return OBSTACLE.isEmpty();
	}

	/** Returns the reason why the Redis server does not support such a clock. */
	static Optional<String> obstacle() {
		return OBSTACLE;
	}

	private static Optional<String> findObstacle() {
		if (!System.getProperty("os.name").equals("Linux")) {
			return Optional.of("this is not Linux");
		}
		if (Programs.onPath("cc").isEmpty()) {
			return Optional.of("there is no cc on the PATH");
		}
		try {
			return compile().or(SteppableClock::obstacleInServer);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Optional<String> compile() throws IOException {
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
			return Optional.of("the C compiler printed " + output.strip());
		}
		Files.move(made, LIBRARY, StandardCopyOption.ATOMIC_MOVE);
		return Optional.empty();
	}

	/**
	 * Returns the reason why the server does not use the clock. Some servers cache the
	 * time for a while.
	 */
	private static Optional<String> obstacleInServer() {
		try (SteppableClock clock = create(); RedisServer redis = RedisServer.startGuarded(clock)) {
			long before = seconds(redis);
			clock.step(Duration.ofHours(1));
			await().pollInSameThread()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(5))
				.atMost(STEP_TIMEOUT)
				.until(() -> seconds(redis) - before > 1800);
			return Optional.empty();
		}
		catch (ConditionTimeoutException ex) {
			return Optional.of("%s does not use the clock; it may be linked statically"
				.formatted(RedisBinary.current().path().getFileName()));
		}
	}

	private static long seconds(RedisServer redis) {
		return Long.parseLong(redis.list("TIME").get(0).toString());
	}

	/** Creates a clock that shows the time of the machine. */
	public static SteppableClock create() {
		try {
			Path file = Files.createTempFile("steppable-clock", ".shared");
			try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
				return new SteppableClock(file, channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * Long.BYTES));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns the command that runs another command with this clock. */
	List<String> launcher() {
		return List.of("env", "LD_PRELOAD=" + LIBRARY, "STEPPABLE_CLOCK=" + this.file);
	}

	/**
	 * Sets the clock forward or back, whether it runs or is stopped.
	 * @param by the difference, negative to set the clock back
	 */
	public synchronized void step(Duration by) {
		if (isStopped()) {
			put(FROZEN, get(FROZEN) + by.toNanos());
		}
		else {
			put(OFFSET, get(OFFSET) + by.toNanos());
		}
	}

	/** Stops the clock. */
	public synchronized void stop() {
		if (!isStopped()) {
			put(FROZEN, machineTime() + get(OFFSET));
		}
	}

	/** Resumes the clock at the time at which it is stopped. */
	public synchronized void resume() {
		if (isStopped()) {
			put(OFFSET, get(FROZEN) - machineTime());
			put(FROZEN, 0);
		}
	}

	private boolean isStopped() {
		return get(FROZEN) != 0;
	}

	private static long machineTime() {
		Instant now = Instant.now();
		return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
	}

	private long get(int word) {
		return (long) WORDS.getVolatile(this.shared, word);
	}

	private void put(int word, long value) {
		WORDS.setVolatile(this.shared, word, value);
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
