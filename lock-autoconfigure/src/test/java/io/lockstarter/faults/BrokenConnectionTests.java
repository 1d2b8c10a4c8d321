package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.quorum.QuorumClients;
import io.lockstarter.redis.quorum.QuorumLockBackend;
import io.lockstarter.redis.quorum.QuorumSettings;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Connections that break, to servers that take new ones at once, or are down.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BrokenConnectionTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final int TIMES = 20;

	private final Registries registries = new Registries();

	@AfterEach
	void closeAll() throws Exception {
		this.registries.close();
	}

	@ParameterizedTest
	@EnumSource
	void requestWithPatienceGetsItsLock(DisconnectedBehavior behavior) throws Exception {
		RedisServer redis = this.registries.keep(RedisServer.start());
		assertBridged(List.of(redis),
				clients().connect(address(redis), options(ClientOptions.builder().disconnectedBehavior(behavior))));
	}

	@Test
	void requestWithPatienceGetsItsLockByJedis() throws Exception {
		RedisServer redis = this.registries.keep(RedisServer.start());
		assertBridged(List.of(redis), clients().connect(new JedisConnectionFactory(address(redis))));
	}

	@ParameterizedTest
	@EnumSource
	void requestWithPatienceGetsItsLockInACluster(DisconnectedBehavior behavior) throws Exception {
		RedisCluster cluster = this.registries.keep(RedisCluster.start());
		assertBridged(cluster.masters(), clients().connect(new RedisClusterConfiguration(cluster.addresses()),
				options(ClusterClientOptions.builder().disconnectedBehavior(behavior))));
	}

	@Test
	void requestWithPatienceGetsItsLockInAQuorum() throws Exception {
		QuorumClients quorum = quorum();
		// A quorum does not wait for a reply as long as one server, on a machine that is
		// starved.
		assertThat(failuresOfBrokenConnections(quorum.servers(), quorum.connect()))
			.allMatch((failure) -> failure.reason() == Reason.TIMEOUT)
			.hasSizeLessThan(TIMES / 2);
	}

	private void assertBridged(List<RedisServer> servers, LockBackend backend) throws Exception {
		assertThat(failuresOfBrokenConnections(servers, backend)).isEmpty();
	}

	private List<LockBackendException> failuresOfBrokenConnections(List<RedisServer> servers, LockBackend backend)
			throws Exception {
		DefaultLockRegistry registry = this.registries.open(backend, LEASE);
		Registries.warmUp(registry);
		List<LockBackendException> failures = new ArrayList<>();
		for (int i = 0; i < TIMES; i++) {
			servers.forEach((server) -> server.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"));
			try {
				registry.acquire(LockRequest.of("a").waitTime(PATIENCE)).close();
			}
			catch (LockBackendException ex) {
				failures.add(ex);
			}
		}
		return failures;
	}

	@Test
	void quorumOfServersThatAreDownTellsTheCause() {
		QuorumClients quorum = quorum();
		DefaultLockRegistry registry = this.registries.open(quorum.connect(), LEASE);
		Registries.warmUp(registry);
		quorum.servers().forEach(RedisServer::kill);
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a")))
				.satisfies((failure) -> {
					assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
					assertThat(failure).hasMessageContaining("of 3 servers of the quorum")
						.hasMessageContaining("the connection was refused, so nothing listens at this address");
				});
		}
	}

	@Test
	void quorumWhosePasswordWasChangedTellsTheCause() {
		QuorumClients quorum = quorum();
		quorum.servers().forEach((server) -> acl(server, "on", ">old", "~*", "&*", "+@all"));
		List<String> nodes = quorum.servers()
			.stream()
			.map((server) -> "redis://locks:old@%s:%s".formatted(server.host(), server.port()))
			.toList();
		LockBackend backend = this.registries
			.keep(new QuorumLockBackend(new QuorumSettings(nodes, "lock:", Duration.ofMinutes(10), LEASE), null));
		DefaultLockRegistry registry = this.registries.open(backend, LEASE);
		Registries.warmUp(registry);
		quorum.servers().forEach((server) -> {
			acl(server, "resetpass", ">new");
			server.cli("CLIENT", "KILL", "USER", "locks");
		});
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a")))
				.satisfies((failure) -> {
					assertThat(failure.reason()).isEqualTo(Reason.NOT_AUTHORIZED);
					assertThat(failure).hasMessageContaining("of 3 servers of the quorum")
						.hasMessageContaining("check spring.data.redis.username");
				});
		}
	}

	private static void acl(RedisServer server, String... rules) {
		List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "locks"));
		command.addAll(List.of(rules));
		server.cli(command.toArray(String[]::new));
	}

	private QuorumClients quorum() {
		QuorumClients quorum = QuorumClients.startVoting(3, LEASE);
		this.registries.keep(quorum);
		this.registries.keep(quorum::disconnect);
		return quorum;
	}

	private RedisClients clients() {
		return this.registries.keep(new RedisClients());
	}

	private static RedisStandaloneConfiguration address(RedisServer server) {
		return new RedisStandaloneConfiguration(server.host(), server.port());
	}

	private static LettuceClientConfiguration options(ClientOptions.Builder options) {
		return LettuceClientConfiguration.builder().clientOptions(options.build()).build();
	}

}
