package io.lockstarter.benchmarks.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

import io.lockstarter.benchmarks.contender.Contender;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.contender.Mutex;
import io.lockstarter.benchmarks.contender.Setup;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that every contender excludes others, and that the guards detect contenders that
 * do not.
 */
class ContenderSmokeTests {

	private static final Duration TIME = Duration.ofMillis(100);

	private static final int THREADS = 3;

	/** Number of permits, one fewer than threads. */
	private static final int PERMITS = 2;

	private static final int MOST_ROUNDS = 20;

	private static final Duration HOLD = Duration.ofMillis(1);

	private static final List<RedisServer> servers = new ArrayList<>();

	@TempDir
	private Path folder;

	@AfterAll
	static void stopRedis() {
		servers.forEach(RedisServer::close);
		servers.clear();
	}

	@ParameterizedTest
	@EnumSource(names = { "OURS", "RAW" })
	void excludesWhileThreadsCompete(ContenderType type) throws Exception {
		assertThatExcludes(type);
	}

	@ParameterizedTest
	@EnumSource(names = { "OURS", "RAW" }, mode = EnumSource.Mode.EXCLUDE)
	@Tag("stress")
	void otherContendersExcludeWhileThreadsCompete(ContenderType type) throws Exception {
		assertThatExcludes(type);
	}

	private void assertThatExcludes(ContenderType type) throws Exception {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		try (Contender contender = type.start(setup(type))) {
			RoundResult result = round(contender, guards, (start) -> order(type.id(), 0, start));
			assertThat(result.violations()).isZero();
			assertThat(result.shares()).hasSize(THREADS);
			assertThat(Waits.decode(result.waits()).getTotalCount()).isEqualTo(result.cycles());
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "OURS", "REDISSON_READERS" })
	@Tag("stress")
	void excludesReadersAndWritersWhileThreadsCompete(ContenderType type) throws Exception {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		try (Contender contender = type.start(setup(type))) {
			RoundResult result = round(contender, guards, (start) -> order(type.id() + "-readers", 50, start));
			assertThat(result.violations()).isZero();
		}
	}

	@Test
	void keepsToPermitsWhileThreadsCompete() throws Exception {
		assertThatKeepsToPermits(ContenderType.OURS);
	}

	@ParameterizedTest
	@EnumSource(names = { "OURS_OFF", "REDISSON_SEMAPHORE", "REDISSON_PERMITS" })
	@Tag("stress")
	void otherContendersKeepToPermitsWhileThreadsCompete(ContenderType type) throws Exception {
		assertThatKeepsToPermits(type);
	}

	private void assertThatKeepsToPermits(ContenderType type) throws Exception {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		try (Contender contender = type.start(setup(type))) {
			RoundResult result = round(contender, guards, (start) -> permits(type.id() + "-permits", start));
			assertThat(result.violations()).isZero();
			assertThat(result.heldNanos()).isPositive().isLessThanOrEqualTo(PERMITS * TIME.toNanos());
		}
	}

	/**
	 * Runs rounds until one has holds, because the time of a first round may end before
	 * its threads begin. A round has no timeout: after a lost wake-up, it lasts as long
	 * as a lease.
	 */
	private static RoundResult round(Contender contender, Guards guards, LongFunction<RoundOrder> order)
			throws Exception {
		RoundResult result;
		long counted;
		int rounds = 0;
		do {
			counted = guards.count();
			result = new Round(contender, guards, order.apply(System.nanoTime())).run();
			rounds++;
		}
		while (heldInTime(result) == 0 && rounds < MOST_ROUNDS);
		assertThat(heldInTime(result)).isPositive();
		assertThat(result.cycles()).isEqualTo(guards.count() - counted);
		return result;
	}

	private static long heldInTime(RoundResult result) {
		return result.shares().stream().mapToLong(Long::longValue).sum();
	}

	private static Setup setup(ContenderType type) {
		while (servers.size() < type.servers()) {
			servers.add(RedisServer.start());
		}
		return Setup.of(servers.get(0).host(), servers.stream().limit(type.servers()).map(RedisServer::port).toList());
	}

	@Test
	void noticesHoldersThatExceedThePermits() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		await().until(
				() -> new Round(new Unlocked(), guards, permits("unlocked", System.nanoTime())).run().violations() > 0);
	}

	@Test
	void noticesReadersAndWritersThatDoNotExcludeOneAnother() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		await().until(() -> new Round(new Unlocked(), guards, order("unlocked", 90, System.nanoTime())).run()
			.violations() > 0);
	}

	@Test
	void letsReadersInTogetherButNoWriterBesideThem() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		assertThat(guards.enterShared(0, 7, 9)).isTrue();
		assertThat(guards.enterShared(0, 7, 9)).isTrue();
		assertThat(guards.enter(0, 8)).isFalse();
		assertThat(guards.enterShared(0, 9, 9)).isFalse();
		guards.leave(0);
		guards.leaveShared(0);
		guards.leaveShared(0);
		guards.leaveShared(0);
		assertThat(guards.enter(0, 9)).isFalse();
		guards.leave(0);
		assertThat(guards.enter(0, 10)).isTrue();
		assertThat(guards.count()).isEqualTo(6);
	}

	@Test
	void letsAsManyInTogetherAsThereArePermits() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		assertThat(guards.enterShared(0, 7, 2)).isTrue();
		assertThat(guards.enterShared(0, 8, 2)).isTrue();
		assertThat(Guards.map(this.folder.resolve("guards")).enterShared(0, 9, 2)).isFalse();
		guards.leaveShared(0);
		guards.leaveShared(0);
		assertThat(guards.enterShared(0, 10, 2)).isTrue();
	}

	@Test
	void noticesAContenderThatDoesNotExclude() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		await().until(() -> new Round(new Unlocked(), guards, order("unlocked", 0, System.nanoTime())).run()
			.violations() > 0);
	}

	@Test
	void noticesHoldersThatAreNotExclusive() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		assertThat(guards.enter(0, 1)).isTrue();
		assertThat(Guards.map(this.folder.resolve("guards")).enter(0, 2)).isFalse();
		assertThat(guards.enter(1, 1)).isTrue();
	}

	@Test
	void noticesTokensThatDoNotRise() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		assertThat(guards.enter(0, 7)).isTrue();
		guards.leave(0);
		assertThat(guards.enter(0, 7)).isFalse();
		guards.leave(0);
		assertThat(guards.enter(0, 8)).isTrue();
	}

	private static RoundOrder order(String lock, int readers, long start) {
		return new RoundOrder(lock, 0, THREADS, true, false, readers, 1, 1, 0, start, TIME.toNanos());
	}

	private static RoundOrder permits(String lock, long start) {
		return new RoundOrder(lock, 0, THREADS, true, false, 0, PERMITS, 1, HOLD.toNanos(), start, TIME.toNanos());
	}

	/**
	 * Planted mistake: locks that exclude nothing.
	 */
	private static final class Unlocked implements Contender, Mutex {

		@Override
		public Mutex mutex(String name) {
			return this;
		}

		@Override
		public Mutex mutex(String name, int permits) {
			return this;
		}

		@Override
		public Mutex readMutex(String name) {
			return this;
		}

		@Override
		public void lock() {
		}

		@Override
		public void unlock() {
		}

		@Override
		public void close() {
		}

	}

}
