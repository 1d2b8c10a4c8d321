package io.lockstarter.engine;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.lockstarter.contract.Settings;
import io.lockstarter.contract.Actor;
import io.lockstarter.contract.EngineInternals;
import io.lockstarter.core.NamedLock;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.RedisServer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Nothing is kept of names that were locked once, neither here nor in Redis.
 */
class ManyNamesTests {

	private static final Log logger = LogFactory.getLog(ManyNamesTests.class);

	private static final int THREADS = 16;

	private static final long NOISE = 5 * 1024 * 1024;

	@Test
	void keepsNothingOfNamesThatWereLockedOnce() throws Exception {
		lockOnce(10_000);
	}

	/** So many that what is kept of each would show in the heap. */
	@Tag("stress")
	@Test
	void keepsNothingOfTwoHundredThousandNamesInTheHeap() throws Exception {
		assertThat(lockOnce(200_000)).as("growth of the heap in bytes").isLessThan(NOISE);
	}

	/** Lock each of many names once. Return by how many bytes the heap has grown. */
	private static long lockOnce(int names) throws Exception {
		Duration retention = Duration.ofSeconds(1);
		Duration lease = Duration.ofSeconds(30);
		EngineSettings settings = Settings.of("one", Duration.ofSeconds(20), lease);
		try (RedisServer redis = RedisServer.startGuarded();
				RedisClients clients = new RedisClients();
				DefaultLockRegistry registry = new DefaultLockRegistry(
						clients.connect(redis.host(), redis.port(), retention), settings, List.of())) {
			List<Actor> actors = IntStream.range(0, THREADS).mapToObj((number) -> new Actor()).toList();
			lockEach(registry, actors, "warm-up-", names / 10);
			long before = retainedHeap();
			long start = System.nanoTime();
			lockEach(registry, actors, "name-", names);
			Duration time = Duration.ofNanos(System.nanoTime() - start);
			long growth = retainedHeap() - before;
			logger.info("%d names in %d ms, heap %+d KB".formatted(names, time.toMillis(), growth / 1024));
			assertThat(EngineInternals.places(registry)).isZero();
			assertThat(EngineInternals.timers(registry)).isZero();
			assertThat(registry.heldCount()).isZero();
			assertThat(registry.waitingCount()).isZero();
			assertThat((Long) redis.cli("DBSIZE")).isLessThanOrEqualTo(16_384);
			actors.forEach(Actor::close);
			return growth;
		}
	}

	private static void lockEach(DefaultLockRegistry registry, List<Actor> actors, String prefix, int names) {
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < actors.size(); i++) {
			int first = i;
			all.add(actors.get(i).begin(() -> {
				for (int number = first; number < names; number += THREADS) {
					NamedLock lock = registry.get(prefix + number);
					lock.lock();
					lock.unlock();
				}
			}));
		}
		for (Future<?> part : all) {
			await().atMost(Duration.ofMinutes(3)).until(part::isDone);
			Actor.resultOf(part);
		}
	}

	/** The heap in use after collections have nothing left to collect. */
	private static long retainedHeap() {
		long[] last = { Long.MAX_VALUE };
		await().pollDelay(Duration.ZERO).until(() -> {
			System.gc();
			MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
			boolean settled = Math.abs(last[0] - heap.getUsed()) < 64 * 1024;
			last[0] = heap.getUsed();
			return settled;
		});
		return last[0];
	}

}
