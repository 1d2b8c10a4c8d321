package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.CommandStats;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;
import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many who want the same lock, and many who want one each.
 */
class ContentionTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration LONG = Duration.ofSeconds(40);

	private int counter;

	@Test
	void threadsOfOneJvmNeverOverlapAndNeedTwoScriptCallsEach() throws Exception {
		int threads = 64;
		int rounds = 20;
		NamedLock lock = observedRegistry(LEASE).get("a");
		lock.lock();
		lock.unlock();
		CommandStats before = this.redis.stats();
		long start = System.nanoTime();
		CountDownLatch ready = new CountDownLatch(threads);
		List<Future<Long>> works = IntStream.range(0, threads).mapToObj((i) -> async(() -> {
			ready.countDown();
			ready.await();
			long longest = 0;
			for (int round = 0; round < rounds; round++) {
				long wanted = System.nanoTime();
				lock.lock();
				longest = Math.max(longest, System.nanoTime() - wanted);
				int seen = this.counter;
				Thread.yield();
				this.counter = seen + 1;
				lock.unlock();
			}
			return longest;
		})).toList();
		long longest = 0;
		for (Future<Long> work : works) {
			longest = Math.max(longest, work.get(LONG.toSeconds(), TimeUnit.SECONDS));
		}
		Duration took = since(start);
		CommandStats spent = this.redis.stats().minus(before);
		double calls = spent.calls("evalsha") / (double) (threads * rounds);
		report("%d threads in one JVM: %.0f acquisitions/s, %.3f script calls each, longest wait %d ms", threads,
				threads * rounds * 1e9 / took.toNanos(), calls, longest / 1_000_000);
		assertThat(this.counter).isEqualTo(threads * rounds);
		assertThat(calls).isLessThanOrEqualTo(2.2);
		// To find out whether others could tell that they wait, and to yield for the
		// first
		// time.
		assertThat(spent.calls("eval")).isLessThanOrEqualTo(2);
		assertThat(isLocked("a")).isFalse();
		assertThat(this.events.losses).isEmpty();
	}

	@Tag("stress")
	@Test
	void threadsOfSeveralJvmsNeverOverlapAndAllGetIn() throws Exception {
		// Nobody sleeps to the end of a lease or of a chain of re-checks.
		within("longest wait among several JVMs", Duration.ofSeconds(10), () -> {
			int jvms = 4;
			int threads = 4;
			int rounds = 200;
			List<ChildJvm> children = new ArrayList<>();
			for (int i = 0; i < jvms; i++) {
				children.add(this.registries
					.keep(ChildJvm.start(List.of("-Xmx128m", Settings.jvmArgument()), Contender.class,
							String.valueOf(this.redis.port()), String.valueOf(threads), String.valueOf(rounds))));
			}
			for (ChildJvm child : children) {
				child.awaitLine("ready"::equals, LONG);
			}
			CommandStats before = this.redis.stats();
			long start = System.nanoTime();
			children.forEach((child) -> child.send("go"));
			long longest = 0;
			for (ChildJvm child : children) {
				String done = child.awaitLine((line) -> line.startsWith("done "), LONG);
				longest = Math.max(longest, Long.parseLong(done.substring("done ".length())));
			}
			Duration took = since(start);
			int acquisitions = jvms * threads * rounds;
			CommandStats spent = this.redis.stats().minus(before);
			report("%d JVMs of %d threads: %.0f acquisitions/s, %.2f script calls each, longest wait %d ms", jvms,
					threads, acquisitions * 1e9 / took.toNanos(), spent.calls("evalsha") / (double) acquisitions,
					longest / 1_000_000);
			assertThat(this.redis.cli("GET", "counter")).isEqualTo(String.valueOf(acquisitions));
			assertThat(tokens()).hasSize(acquisitions).isSorted().doesNotHaveDuplicates();
			await().until(() -> !isLocked("a"));
			StressSummary.HOLDS_CHECKED.add(acquisitions);
			return Duration.ofNanos(longest);
		});
	}

	@SuppressWarnings("unchecked")
	private List<Long> tokens() {
		return ((List<Object>) this.redis.cli("LRANGE", "tokens", "0", "-1")).stream()
			.map((token) -> Long.valueOf(token.toString()))
			.toList();
	}

	@Test
	void thousandWaitersOnAsManyNamesAllGetIn() throws Exception {
		int names = 1000;
		DefaultLockRegistry holder = registry(LEASE);
		DefaultLockRegistry waiter = observedRegistry(LEASE);
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < names; i++) {
			held.add(holder.acquireAsync(LockRequest.of("name-" + i)).get(10, TimeUnit.SECONDS));
		}
		List<CompletableFuture<LockHandle>> waiting = IntStream.range(0, names)
			.mapToObj((i) -> waiter.acquireAsync(LockRequest.of("name-" + i)))
			.toList();
		await().until(() -> registered(names) && waiter.waitingCount() == names);
		await().until(() -> ((List<?>) this.redis.cli("PUBSUB", "CHANNELS", "lock:wake:*")).size() == 1);
		CommandStats before = this.redis.stats();
		long start = System.nanoTime();
		held.forEach(LockHandle::releaseAsync);
		CompletableFuture.allOf(waiting.toArray(CompletableFuture<?>[]::new))
			.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		CommandStats spent = this.redis.stats().minus(before);
		report("%d waiters on as many names got in within %d ms, with %d publishes and %d script calls", names,
				since(start).toMillis(), spent.calls("publish"), spent.calls("evalsha"));
		// On a busy machine the first lease of a second may end before it is renewed.
		await().until(() -> waiter.heldCount() + this.events.losses.size() == names);
		waiting.forEach((handle) -> handle.join().releaseAsync());
		await().until(() -> this.events.releases.get() + this.events.losses.size() == names);
		assertThat(waiter.heldCount() + waiter.waitingCount()).isZero();
	}

	private boolean registered(int names) {
		return IntStream.of(0, names / 2, names - 1)
			.allMatch((i) -> this.redis.cli("ZCARD", key("name-" + i) + ":waiters").equals(1L));
	}

	/**
	 * An instance whose threads count under the lock, with a race if two are ever inside.
	 */
	static final class Contender {

		private static final CountDownLatch go = new CountDownLatch(1);

		public static void main(String[] arguments) throws Exception {
			ChildJvm.exitWithParent((line) -> go.countDown());
			int port = Integer.parseInt(arguments[0]);
			int threads = Integer.parseInt(arguments[1]);
			int rounds = Integer.parseInt(arguments[2]);
			try (Registries registries = new Registries()) {
				DefaultLockRegistry registry = registries.open("127.0.0.1", port, LEASE);
				Registries.warmUp(registry);
				System.out.println("ready");
				go.await();
				ExecutorService pool = Executors.newFixedThreadPool(threads);
				List<Future<Long>> works = new ArrayList<>();
				for (int i = 0; i < threads; i++) {
					works.add(pool.submit(() -> contend(registry, port, rounds)));
				}
				long longest = 0;
				for (Future<Long> work : works) {
					longest = Math.max(longest, work.get());
				}
				pool.shutdown();
				System.out.println("done " + longest);
			}
		}

		private static long contend(DefaultLockRegistry registry, int port, int rounds) throws Exception {
			long longest = 0;
			try (RespClient redis = RedisServer.asAdministrator(RespClient.connect("127.0.0.1", port))) {
				for (int i = 0; i < rounds; i++) {
					long wanted = System.nanoTime();
					try (LockHandle handle = registry.acquire(LockRequest.of("a"))) {
						longest = Math.max(longest, System.nanoTime() - wanted);
						Object counter = redis.call("GET", "counter");
						redis.call("RPUSH", "tokens", String.valueOf(handle.fencingToken()));
						redis.call("SET", "counter",
								String.valueOf((counter != null) ? Integer.parseInt(counter.toString()) + 1 : 1));
					}
				}
			}
			return longest;
		}

	}

}
