package io.lockstarter.benchmarks.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
 * Every contender takes part, and what guards the measurement notices those that do not
 * exclude.
 */
class ContenderSmokeTests {

	private static final Duration TIME = Duration.ofMillis(100);

	private static final int THREADS = 3;

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
			RoundResult result = round(contender, guards, type.id(), 0);
			assertThat(result.cycles()).isEqualTo(guards.count());
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
			RoundResult result = round(contender, guards, type.id() + "-readers", 50);
			assertThat(result.cycles()).isEqualTo(guards.count());
			assertThat(result.violations()).isZero();
		}
	}

	/**
	 * The time of a first round may be over before its threads have begun. Nor may a
	 * round be cut short: where a wake-up is lost, it lasts as long as a lease.
	 */
	private static RoundResult round(Contender contender, Guards guards, String lock, int readers) throws Exception {
		RoundResult result = new Round(contender, guards, order(lock, readers)).run();
		for (int again = 0; result.cycles() == 0 && again < 20; again++) {
			result = new Round(contender, guards, order(lock, readers)).run();
		}
		assertThat(result.cycles()).isPositive();
		return result;
	}

	private static Setup setup(ContenderType type) {
		while (servers.size() < type.servers()) {
			servers.add(RedisServer.start());
		}
		return Setup.of(servers.get(0).host(), servers.stream().limit(type.servers()).map(RedisServer::port).toList());
	}

	@Test
	void noticesReadersAndWritersThatDoNotExcludeOneAnother() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		await().until(() -> new Round(new Unlocked(), guards, order("unlocked", 90)).run().violations() > 0);
	}

	@Test
	void letsReadersInTogetherButNoWriterBesideThem() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		assertThat(guards.enterShared(0, 7)).isTrue();
		assertThat(guards.enterShared(0, 7)).isTrue();
		assertThat(guards.enter(0, 8)).isFalse();
		assertThat(guards.enterShared(0, 9)).isFalse();
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
	void noticesAContenderThatDoesNotExclude() {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		await().until(() -> new Round(new Unlocked(), guards, order("unlocked", 0)).run().violations() > 0);
	}

	@Test
	void noticesHoldersThatAreNotAlone() {
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

	private static RoundOrder order(String lock, int readers) {
		return new RoundOrder(lock, 0, THREADS, true, false, readers, 1, 0, System.nanoTime(), TIME.toNanos());
	}

	/**
	 * A planted mistake: locks that lock nothing.
	 */
	private static final class Unlocked implements Contender, Mutex {

		@Override
		public Mutex mutex(String name) {
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
