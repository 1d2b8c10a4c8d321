package io.lockstarter.benchmarks.worker;

import java.nio.file.Path;
import java.time.Duration;

import io.lockstarter.benchmarks.contender.Contender;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.contender.Mutex;
import io.lockstarter.benchmarks.contender.Setup;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every contender takes part, and what guards the measurement notices those that do not
 * exclude.
 */
class ContenderSmokeTests {

	private static final Duration TIME = Duration.ofMillis(100);

	private static final int THREADS = 3;

	private static RedisServer redis;

	@TempDir
	private Path folder;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void excludesWhileThreadsCompete(ContenderType type) throws Exception {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		try (Contender contender = type.start(Setup.of(redis.host(), redis.port()))) {
			RoundResult result = new Round(contender, guards, order(type.id())).run();
			assertThat(result.cycles()).isPositive().isEqualTo(guards.count());
			assertThat(result.violations()).isZero();
			assertThat(result.shares()).hasSize(THREADS);
			assertThat(Waits.decode(result.waits()).getTotalCount()).isEqualTo(result.cycles());
		}
	}

	@Test
	void noticesAContenderThatDoesNotExclude() throws Exception {
		Guards guards = Guards.map(this.folder.resolve("guards"));
		RoundResult result = new Round(new Unlocked(), guards, order("unlocked")).run();
		assertThat(result.violations()).isPositive();
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

	private static RoundOrder order(String lock) {
		return new RoundOrder(lock, 0, THREADS, true, false, 1, 0, System.nanoTime(), TIME.toNanos());
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
