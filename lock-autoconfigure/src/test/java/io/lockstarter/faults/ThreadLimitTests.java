package io.lockstarter.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM that the system lets start no more threads. The limit is one of address space,
 * which holds for every user: it leaves room for anything but a stack.
 */
@Tag("stress")
@EnabledOnOs(OS.LINUX)
class ThreadLimitTests extends RedisOfItsOwn {

	private static final int MANY = 100;

	private static final Duration LEASE = Duration.ofSeconds(12);

	private static final long STACK_MEGABYTES = 256;

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void everyPromiseIsKeptAndNoLockStays(boolean callbackThread) throws Exception {
		ChildJvm child = this.registries.keep(ChildJvm.start(List.of("-Xss%dm".formatted(STACK_MEGABYTES), "-Xmx256m"),
				Threadless.class, String.valueOf(this.redis.port()), String.valueOf(callbackThread)));
		child.awaitLine("ready"::equals, PATIENCE);
		limit(child, String.valueOf(addressSpace(child.pid()) + (STACK_MEGABYTES - 16) * 1024 * 1024));
		child.send("begin");
		child.awaitLine("no thread can be started"::equals, PATIENCE);
		String requests = child.awaitLine((line) -> line.startsWith("requests: "), PATIENCE);
		report("with %s callback thread, %s", callbackThread ? "a" : "no", requests);
		// Failing to start threads takes time, so that some commands time out.
		assertThat(requests).matches(callbackThread ? "requests: 100 granted"
				: "requests: (100 JVM_EXHAUSTED|\\[(JVM_EXHAUSTED, TIMEOUT|TIMEOUT, JVM_EXHAUSTED)])");
		assertThat(child.awaitLine((line) -> line.startsWith("releases: "), PATIENCE))
			.isEqualTo("releases: %d done".formatted(MANY));
		assertThat(child.awaitLine((line) -> line.startsWith("told: "), PATIENCE))
			.isEqualTo("told: %d".formatted(MANY * (callbackThread ? 2 * MANY : MANY)));
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(locks()).isEmpty());
		assertThat(child.isAlive()).isTrue();
		limit(child, "unlimited");
		child.send("again");
		child.awaitLine("again: granted"::equals, PATIENCE);
	}

	private List<String> locks() {
		return ((List<?>) this.redis.cli("KEYS", "*")).stream()
			.map(String::valueOf)
			.filter((key) -> key.endsWith("}") && !key.startsWith("lock:fence:"))
			.toList();
	}

	private static long addressSpace(long pid) throws IOException {
		return Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status"))
			.stream()
			.filter((line) -> line.startsWith("VmSize:"))
			.mapToLong((line) -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
			.findFirst()
			.orElseThrow();
	}

	private static void limit(ChildJvm child, String addressSpace) throws Exception {
		Process process = startPrlimit("--pid", String.valueOf(child.pid()),
				"--as=%s:unlimited".formatted(addressSpace));
		assertThat(process.waitFor()).isZero();
	}

	private static Process startPrlimit(String... arguments) {
		try {
			return new ProcessBuilder(Stream.concat(Stream.of("prlimit"), Stream.of(arguments)).toList()).inheritIO()
				.start();
		}
		catch (IOException ex) {
			assumeThat(ex).as("prlimit is there").isNull();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * An instance that releases some locks later, and asks for others, when it can start
	 * no thread any more.
	 */
	static final class Threadless {

		private final AtomicInteger told = new AtomicInteger();

		private final DefaultLockRegistry registry;

		private final List<LockHandle> kept = new ArrayList<>();

		private Threadless(Registries registries, int port) {
			LockListener listener = new LockListener() {

				@Override
				public void released(LockHandle lock, Duration held) {
					Threadless.this.told.incrementAndGet();
				}

			};
			this.registry = registries.open(registries.keep(new RedisClients()).connect("127.0.0.1", port), LEASE,
					Collections.nCopies(MANY, listener).toArray(LockListener[]::new));
		}

		public static void main(String[] arguments) throws Exception {
			CompletableFuture<Void> begin = new CompletableFuture<>();
			CompletableFuture<Void> again = new CompletableFuture<>();
			ChildJvm.exitWithParent((line) -> (line.equals("begin") ? begin : again).complete(null));
			try (Registries registries = new Registries()) {
				Threadless instance = new Threadless(registries, Integer.parseInt(arguments[0]));
				instance.prepare(Boolean.parseBoolean(arguments[1]));
				System.out.println("ready");
				begin.join();
				instance.run();
				again.join();
				System.out.println("again: " + instance.request("again").join());
			}
		}

		/** Load classes, connect, and take the locks that are to be released later. */
		private void prepare(boolean callbackThread) throws InterruptedException {
			Registries.warmUp(this.registry);
			if (callbackThread) {
				assertThat(request("warm-up").join()).isEqualTo("granted");
			}
			for (int i = 0; i < MANY; i++) {
				LockOwner owner = LockOwner.create("task-" + i);
				this.kept.add(this.registry.acquire(LockRequest.of("kept-" + i).owner(owner)));
			}
			this.told.set(0);
		}

		private void run() {
			List<CompletableFuture<String>> releases = this.kept.stream()
				.map((lock) -> lock.releaseAfter(Duration.ofSeconds(4))
					.toCompletableFuture()
					.handle((nothing, failure) -> (failure != null) ? failure.toString() : "done"))
				.toList();
			System.out.println(startThread());
			List<CompletableFuture<String>> requests = new ArrayList<>();
			for (int i = 0; i < MANY; i++) {
				requests.add(request("asked-" + i));
			}
			System.out.println("requests: " + sum(requests));
			System.out.println("releases: " + sum(releases));
			System.out.println("told: " + this.told);
		}

		private static String startThread() {
			try {
				new Thread(() -> {
				}).start();
				return "a thread was started";
			}
			catch (OutOfMemoryError ex) {
				return "no thread can be started";
			}
		}

		private CompletableFuture<String> request(String name) {
			return this.registry.acquireAsync(LockRequest.of(name))
				.thenCompose(LockHandle::releaseAsync)
				.handle((nothing, failure) -> (failure != null) ? reason(failure) : "granted");
		}

		private static String reason(Throwable failure) {
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
			return (cause instanceof LockBackendException known) ? known.reason().name() : cause.toString();
		}

		/** Whatever all have come to; else what the first others did. */
		private static String sum(List<CompletableFuture<String>> all) {
			List<String> results = all.stream().map(CompletableFuture::join).distinct().toList();
			return (results.size() == 1) ? "%d %s".formatted(all.size(), results.get(0)) : results.toString();
		}

	}

}
