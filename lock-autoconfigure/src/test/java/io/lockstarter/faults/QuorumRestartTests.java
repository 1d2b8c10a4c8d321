package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.quorum.QuorumClients;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The servers of a quorum are restarted without their data, one after another.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumRestartTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String MARKER = "lock:quorum";

	private final Registries registries = new Registries();

	private QuorumClients quorum;

	@AfterEach
	void closeAll() throws Exception {
		this.registries.close();
		this.quorum.disconnect();
		this.quorum.close();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "FAIR", "WRITE" })
	void holdOutlastsARestartOfAllServers(LockType type) throws Exception {
		assertHoldOutlastsARestart(3, type, true);
	}

	@Tag("stress")
	@ParameterizedTest
	@CsvSource({ "3, WRITE", "5, REENTRANT", "5, READ", "5, WRITE" })
	void holdOutlastsARestartOfAllServersThatWaitUntilTheyVote(int servers, LockType type) throws Exception {
		assertHoldOutlastsARestart(servers, type, false);
	}

	private void assertHoldOutlastsARestart(int servers, LockType type, boolean trusted) throws Exception {
		this.quorum = QuorumClients.startVoting(servers, LEASE);
		Events events = new Events();
		LockBackend backend = this.quorum.connect();
		LockHandle handle = this.registries.open(backend, LEASE, events).acquire(LockRequest.of("a").type(type));
		CompletableFuture<LockHandle> rival = this.registries.open(this.quorum.connect(), LEASE)
			.acquireAsync(LockRequest.of("a").type(LockType.WRITE).waitTime(Duration.ofMinutes(2)));
		for (RedisServer server : this.quorum.servers()) {
			server.restartEmpty();
			awaitMarker(server, trusted);
			await().atMost(PATIENCE).until(() -> has(server, backend));
			assertThat(events.losses).isEmpty();
			assertThat(rival).isNotDone();
		}
		handle.close();
		try (LockHandle next = rival.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		}
	}

	@Test
	void releasedHoldDoesNotComeBack() throws Exception {
		this.quorum = QuorumClients.startVoting(3, LEASE);
		Events events = new Events();
		LockBackend backend = this.quorum.connect();
		LockHandle handle = this.registries.open(backend, LEASE).acquire(LockRequest.of("a"));
		RedisServer restarted = this.quorum.servers().get(0);
		restarted.restartEmpty();
		awaitMarker(restarted, true);
		handle.close();
		LockHandle next = this.registries.open(this.quorum.connect(), LEASE, events).acquire(LockRequest.of("a"));
		await().atMost(PATIENCE).until(() -> events.renewals.get() >= 2);
		assertThat(this.quorum.servers()).noneMatch((server) -> has(server, backend));
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		next.close();
		assertThat(events.losses).isEmpty();
	}

	@Test
	void lossOfAMajorityIsALoss() throws Exception {
		this.quorum = QuorumClients.startVoting(3, LEASE);
		Events events = new Events();
		LockBackend backend = this.quorum.connect();
		LockHandle handle = this.registries.open(backend, LEASE, events).acquire(LockRequest.of("a"));
		// With one of them running, a renewal would restore the lock on the other one.
		this.quorum.servers().subList(0, 2).forEach(RedisServer::kill);
		for (RedisServer server : this.quorum.servers().subList(0, 2)) {
			server.restartEmpty();
			// Votes at once, as it does when its time is over.
			server.cli("SET", MARKER, "1");
		}
		await().atMost(PATIENCE).until(() -> !events.losses.isEmpty());
		assertThat(handle.isValid()).isFalse();
		assertThat(this.quorum.servers().subList(0, 2)).noneMatch((server) -> has(server, backend));
	}

	@Tag("stress")
	@Test
	void serverThatNobodyAsksBeginsToWaitUntilItVotes() {
		this.quorum = QuorumClients.startVoting(3, LEASE);
		this.quorum.connect();
		this.quorum.servers().forEach(RedisServer::restartEmpty);
		await().atMost(PATIENCE).until(() -> this.quorum.votes() == 3);
	}

	/** Wait until somebody has noticed that a server has no memory. */
	private static void awaitMarker(RedisServer server, boolean trusted) {
		await().atMost(PATIENCE).until(() -> server.cli("EXISTS", MARKER).equals(1L));
		if (trusted) {
			server.cli("SET", MARKER, "1");
		}
	}

	private static boolean has(RedisServer server, LockBackend client) {
		List<?> tenures = (List<?>) server.cli("HKEYS", "lock:{a}");
		return tenures.stream().anyMatch((tenure) -> tenure.toString().startsWith(client.clientId()));
	}

}
