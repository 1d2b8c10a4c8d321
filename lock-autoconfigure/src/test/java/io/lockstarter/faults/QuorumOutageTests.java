package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.quorum.QuorumClients;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A majority of the servers of a quorum, or all, are away while somebody waits.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumOutageTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration WAIT = Duration.ofSeconds(60);

	/** Longer than it takes to ask again, and to see that there is no answer. */
	private static final Duration OUTAGE = Duration.ofSeconds(4);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final List<LockType> TYPES = List.of(LockType.REENTRANT, LockType.READ, LockType.WRITE);

	private final Registries registries = new Registries();

	private QuorumClients quorum;

	@BeforeEach
	void startRedis() {
		this.quorum = QuorumClients.startVoting(3, LEASE);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.quorum.servers().stream().filter(RedisServer::isAlive).forEach(RedisServer::resume);
		this.registries.close();
		this.quorum.disconnect();
		this.quorum.close();
	}

	@Test
	void whoStandsInTheQueueGetsTheLockWhenAllServersAreBack() throws Exception {
		assertWaitsOut(3, RedisServer::stop, RedisServer::resume);
	}

	@Tag("stress")
	@Test
	void whoStandsInTheQueueGetsTheLockWhenAMajorityIsBack() throws Exception {
		assertWaitsOut(2, RedisServer::stop, RedisServer::resume);
	}

	@Tag("stress")
	@ParameterizedTest
	@ValueSource(ints = { 2, 3 })
	void whoStandsInTheQueueGetsTheLockWhenServersWithoutMemoryVote(int servers) throws Exception {
		assertWaitsOut(servers, RedisServer::kill, RedisServer::restartEmpty);
	}

	private void assertWaitsOut(int servers, Consumer<RedisServer> begin, Consumer<RedisServer> end) throws Exception {
		DefaultLockRegistry holder = this.registries.open(this.quorum.connect(), LEASE);
		DefaultLockRegistry registry = this.registries.open(this.quorum.connect(), LEASE);
		List<LockHandle> held = new ArrayList<>();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (LockType type : TYPES) {
			LockRequest request = LockRequest.of(type.name()).waitTime(WAIT);
			held.add(holder.acquire(request));
			waiting.add(registry.acquireAsync(request.type(type)));
			waiting.add(registry.acquireAsync(request));
			await().until(() -> this.quorum.servers()
				.stream()
				.allMatch((server) -> server.cli("ZCARD", "lock:{" + type + "}:waiters").equals(1L)));
		}
		List<RedisServer> away = this.quorum.servers().subList(0, servers);
		away.forEach(begin);
		CompletableFuture<LockHandle> first = registry.acquireAsync(LockRequest.of("first").waitTime(WAIT));
		await().pollDelay(OUTAGE).until(() -> true);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
			.withCauseInstanceOf(LockBackendException.class);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		away.forEach(end);
		// Those that were on servers without memory are lost by now or soon.
		held.forEach(LockHandle::releaseAsync);
		for (CompletableFuture<LockHandle> request : waiting) {
			request.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		}
	}

}
