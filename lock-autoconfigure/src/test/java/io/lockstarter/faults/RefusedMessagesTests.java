package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A Redis that refuses the messages by which instances tell one another that they wait,
 * or that a lock is free.
 */
class RefusedMessagesTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final int THREADS = 8;

	private final AtomicBoolean over = new AtomicBoolean();

	private final List<Future<?>> looping = new ArrayList<>();

	/** What is refused is on purpose, and no violation of the published rules. */
	@AfterEach
	void allow() throws Exception {
		this.over.set(true);
		for (Future<?> loop : this.looping) {
			loop.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		permit();
		this.redis.cli("ACL", "LOG", "RESET");
	}

	private void permit() {
		acl(List.of("+publish", "+subscribe", "resetchannels", "&lock:wake:*"));
	}

	private void acl(List<String> rules) {
		for (String rule : rules) {
			this.redis.cli("ACL", "SETUSER", "default", rule);
		}
	}

	@ParameterizedTest
	@EnumSource
	void anotherInstanceGetsItsTurn(Missing missing) throws Exception {
		acl(missing.rules);
		loop(registry(LEASE), THREADS);
		takeTurns(registry(LEASE), 3);
	}

	/** A single thread hands nothing over, and is back before anybody asks. */
	@ParameterizedTest
	@EnumSource
	void anotherInstanceGetsItsTurnAfterASingleThread(Missing missing) throws Exception {
		acl(missing.rules);
		loop(registry(LEASE), 1);
		takeTurns(registry(LEASE), 3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "publish", "subscribe" })
	void anotherInstanceGetsItsTurnWhereACommandIsMissing(String command) throws Exception {
		RedisServer other = this.registries.keep(RedisServer.start("--rename-command", command, ""));
		loop(this.registries.open(other.host(), other.port(), LEASE), THREADS);
		takeTurns(this.registries.open(other.host(), other.port(), LEASE), 3);
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void eachTypeOfLockGetsItsTurn(LockType type) throws Exception {
		acl(Missing.BOTH.rules);
		loop(registry(LEASE), THREADS);
		DefaultLockRegistry other = registry(LEASE);
		for (int i = 0; i < 3; i++) {
			other.acquire(LockRequest.of("a").type(type).waitTime(Duration.ofSeconds(5))).close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void anotherInstanceGetsAPermit(Missing missing) throws Exception {
		acl(missing.rules);
		LockRequest two = LockRequest.of("a").permits(2);
		loop(registry(LEASE), two, THREADS);
		NamedLock other = registry(LEASE).get(two);
		for (int i = 0; i < 3; i++) {
			assertThat(other.tryLock(5, TimeUnit.SECONDS)).as("turn %d", i).isTrue();
			other.unlock();
		}
	}

	@Tag("stress")
	@ParameterizedTest
	@EnumSource
	void anotherInstanceGetsItsTurnEachTimeAndSoon(Missing missing) throws Exception {
		within("99 of 100 turns without " + missing, Duration.ofMillis(1500), () -> {
			this.over.set(false);
			acl(missing.rules);
			AtomicLong holds = loop(registry(LEASE), THREADS);
			long start = System.nanoTime();
			List<Long> waits = takeTurns(registry(LEASE), 100);
			report("without %s: median %d ms, longest %d ms, %.0f holds/s beside it", missing,
					waits.get(50) / 1_000_000, waits.get(99) / 1_000_000,
					holds.get() * 1e9 / (System.nanoTime() - start));
			this.over.set(true);
			StressSummary.HOLDS_CHECKED.add(holds.get());
			return Duration.ofNanos(waits.get(98));
		});
	}

	private AtomicLong loop(DefaultLockRegistry registry, int threads) {
		return loop(registry, LockRequest.of("a"), threads);
	}

	private AtomicLong loop(DefaultLockRegistry registry, LockRequest request, int threads) {
		AtomicLong holds = new AtomicLong();
		for (int i = 0; i < threads; i++) {
			this.looping.add(async(() -> {
				NamedLock lock = registry.get(request);
				while (!this.over.get()) {
					lock.lock();
					Thread.yield();
					lock.unlock();
					holds.incrementAndGet();
				}
				return null;
			}));
		}
		await().until(() -> holds.get() > 1000 / THREADS * threads);
		return holds;
	}

	/**
	 * Take the lock some times; how long each took in nanoseconds, the shortest first.
	 */
	private static List<Long> takeTurns(DefaultLockRegistry registry, int times) throws InterruptedException {
		NamedLock lock = registry.get("a");
		List<Long> waits = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			long asked = System.nanoTime();
			assertThat(lock.tryLock(5, TimeUnit.SECONDS)).as("turn %d", i).isTrue();
			waits.add(System.nanoTime() - asked);
			lock.unlock();
		}
		return waits.stream().sorted().toList();
	}

	@ParameterizedTest
	@EnumSource
	void isToldOnceAndIsNoReasonToBeDown(Missing missing) throws Exception {
		Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter.redis.wake");
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.setLevel(Level.WARN);
		logger.addAppender(log);
		try {
			acl(missing.rules);
			DefaultLockRegistry registry = registry(LEASE);
			LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
			registry.acquireAsync(LockRequest.of("a"));
			await().untilAsserted(() -> assertThat(health(registry).details().get("messages")).asString()
				.startsWith("refused: ")
				.contains(missing.commands));
			for (int i = 0; i < 3; i++) {
				assertThat(health(registry).up()).as("%s", health(registry).details()).isTrue();
			}
			await().untilAsserted(() -> assertThat(new ArrayList<>(log.list)).singleElement()
				.satisfies((event) -> assertThat(event.getFormattedMessage())
					.startsWith("Redis refuses wake-up messages: ")
					.contains(missing.commands)));
			permit();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(health(registry).details()).containsEntry("messages", "allowed")
					.containsEntry("subscription", "up"));
			held.close();
		}
		finally {
			logger.detachAppender(log);
			logger.setLevel(null);
		}
	}

	private static LockMonitor.Health health(DefaultLockRegistry registry) throws Exception {
		return registry.health().get(5, TimeUnit.SECONDS);
	}

	/**
	 * What the user of the locks may not.
	 */
	enum Missing {

		PUBLISH(List.of("-publish"), "PUBLISH"), SUBSCRIBE(List.of("-subscribe"), "SUBSCRIBE"),
		BOTH(List.of("-publish", "-subscribe"), "SUBSCRIBE", "PUBLISH"),
		CHANNELS(List.of("resetchannels"), "SUBSCRIBE", "PUBLISH");

		private final List<String> rules;

		private final String[] commands;

		Missing(List<String> rules, String... commands) {
			this.rules = rules;
			this.commands = commands;
		}

	}

}
