package io.lockstarter.redis.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;
import io.lockstarter.testing.ServerCertificate;
import io.lockstarter.testing.TlsRedis;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.Mockito.mock;

/**
 * What a user reads when Redis cannot be had: where, what happened, and what to do.
 */
class FailureMessageTests {

	private final RedisClients clients = new RedisClients();

	private final RedisServer redis = RedisServer.start("--requirepass", "secret");

	@AfterEach
	void close() throws Exception {
		this.clients.close();
		this.redis.close();
	}

	/** The two client libraries. */
	enum Library {

		LETTUCE {
			@Override
			LockBackend connect(RedisClients clients, RedisStandaloneConfiguration server) {
				return clients.connect(server);
			}
		},
		JEDIS {
			@Override
			LockBackend connect(RedisClients clients, RedisStandaloneConfiguration server) {
				return clients.connect(new JedisConnectionFactory(server));
			}
		};

		abstract LockBackend connect(RedisClients clients, RedisStandaloneConfiguration server);

	}

	@ParameterizedTest
	@EnumSource
	void nothingListens(Library library) {
		assertThat(messageOf(library, server("127.0.0.1", 1))).startsWith("no connection to the lock backend")
			.contains("Redis at 127.0.0.1:1 (" + name(library))
			.contains("the connection was refused, so nothing listens at this address");
	}

	@ParameterizedTest
	@EnumSource
	void hostIsUnknown(Library library) {
		assertThat(messageOf(library, server("no-such-host.invalid", 6379)))
			.contains("Redis at no-such-host.invalid:6379 (" + name(library))
			.contains("its host name is unknown: ")
			.containsOnlyOnce("no-such-host.invalid:6379");
	}

	@ParameterizedTest
	@EnumSource
	void passwordIsMissing(Library library) {
		assertThat(messageOf(library, server(this.redis.host(), this.redis.port())))
			.startsWith("the lock backend refuses the user")
			.contains("Redis at %s:%d (%s): NOAUTH".formatted(this.redis.host(), this.redis.port(), name(library)))
			.contains("; set spring.data.redis.password, and username if it is not the default one)");
	}

	@ParameterizedTest
	@EnumSource
	void passwordIsWrong(Library library) {
		RedisStandaloneConfiguration server = server(this.redis.host(), this.redis.port());
		server.setUsername("somebody");
		server.setPassword("wrong");
		assertThat(messageOf(library, server)).startsWith("the lock backend refuses the user")
			.contains("(" + name(library) + ", user 'somebody'): WRONGPASS")
			.contains("; check spring.data.redis.username");
	}

	@ParameterizedTest
	@EnumSource
	void databaseIsOutOfRange(Library library) {
		RedisStandaloneConfiguration server = server(this.redis.host(), this.redis.port());
		server.setPassword("secret");
		server.setDatabase(99);
		assertThat(messageOf(library, server)).contains(":%d, database 99 (".formatted(this.redis.port()))
			.contains("ERR DB index is out of range; lower spring.data.redis.database");
	}

	@Test
	void serverSpeaksNoTls() {
		LockBackend backend = this.clients.connect(server(this.redis.host(), this.redis.port()),
				LettuceClientConfiguration.builder()
					.useSsl()
					.and()
					.clientOptions(ClientOptions.builder()
						.sslOptions(SslOptions.builder().handshakeTimeout(Duration.ofMillis(300)).build())
						.build())
					.build());
		assertThat(failureOf(backend)).hasMessageContaining("no reply to the TLS handshake")
			.hasMessageContaining("if the server does not use TLS, set spring.data.redis.ssl.enabled=false");
	}

	@Test
	void jedisFactoryIsAMock() {
		assertThat(failureOf(this.clients.connect(mock(JedisConnectionFactory.class))))
			.hasMessageContaining("Locks need Lettuce or Jedis as Redis client")
			.hasMessageContaining("If the factory is a mock in a test, set distributed-lock.backend=in-memory");
	}

	@ParameterizedTest
	@EnumSource
	void serverClosesConnectionDuringHandshake(Library library) throws Exception {
		try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			Thread closing = new Thread(() -> closeConnections(server));
			closing.start();
			RedisStandaloneConfiguration address = server("127.0.0.1", server.getLocalPort());
			LockBackend backend = (library == Library.LETTUCE)
					? this.clients.connect(address, LettuceClientConfiguration.builder().useSsl().build())
					: this.clients.connect(
							new JedisConnectionFactory(address, JedisClientConfiguration.builder().useSsl().build()));
			assertThat(failureOf(backend)).hasMessageContaining("the TLS handshake failed")
				.hasMessageContaining("if the server does not use TLS, set spring.data.redis.ssl.enabled=false");
			server.close();
			closing.join();
		}
	}

	private static void closeConnections(ServerSocket server) {
		try {
			while (true) {
				try (Socket connection = server.accept()) {
					connection.getInputStream().read(new byte[8192]);
				}
			}
		}
		catch (IOException ex) {
			// The test has closed the server
		}
	}

	@Test
	@Needs(Tool.TLS)
	void serverSpeaksTlsAlone() throws Exception {
		try (TlsRedis other = TlsRedis.start(ServerCertificate.shared(ServerCertificate.LOCAL))) {
			assertThat(messageOf(Library.LETTUCE, server(other.host(), other.port())))
				.contains("the connection broke while it was being established")
				.contains("if the server expects TLS, set spring.data.redis.ssl.enabled=true");
			LockBackend distrusting = this.clients.connect(server(other.host(), other.port()),
					LettuceClientConfiguration.builder().useSsl().build());
			assertThat(failureOf(distrusting)).hasMessageContaining("the TLS handshake failed: ")
				.hasMessageContaining("certification path");
		}
	}

	@ParameterizedTest
	@EnumSource
	void redisHasNoRoomForAnotherClient(Library library) throws Exception {
		try (RedisServer full = RedisServer.start("--maxclients", "1");
				RespClient only = full.connect(Duration.ofSeconds(5))) {
			assertThat(only.call("PING")).isEqualTo("PONG");
			assertThat(messageOf(library, server(full.host(), full.port()))).containsAnyOf(
					"ERR max number of clients reached; raise maxclients", "raise its maxclients",
					"the connection broke: Connection reset");
		}
	}

	@Test
	void redisIsKilledWhileRequestWaits() throws Exception {
		try (DefaultLockRegistry registry = registry(this.clients.connect(withPassword()))) {
			registry.acquire(LockRequest.of("a")).close();
			this.redis.kill();
			LockBackendException failure = catchThrowableOfType(LockBackendException.class,
					() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(6))));
			assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
			assertThat(failure).hasMessageContaining("Lock 'a': no connection to the lock backend")
				.hasMessageContaining("Redis at %s:%d (Lettuce): the connection was refused"
					.formatted(this.redis.host(), this.redis.port()));
		}
	}

	@ParameterizedTest
	@EnumSource
	void passwordIsChangedUnderWay(Library library) throws Exception {
		try (DefaultLockRegistry registry = registry(library.connect(this.clients, withPassword()));
				RespClient operator = this.redis.connect(Duration.ofSeconds(5))) {
			assertThat(operator.call("AUTH", "secret")).isEqualTo("OK");
			registry.acquire(LockRequest.of("a")).close();
			assertThat(operator.call("CONFIG", "SET", "requirepass", "changed")).isEqualTo("OK");
			registry.acquire(LockRequest.of("a")).close();
			operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			LockBackendException failure = catchThrowableOfType(LockBackendException.class,
					() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(6))));
			assertThat(failure).hasMessageContaining("the lock backend refuses the user")
				.hasMessageContaining("WRONGPASS")
				.hasMessageContaining("; check spring.data.redis.username");
			assertThat(failure.reason()).isEqualTo(Reason.NOT_AUTHORIZED);
			operator.call("CONFIG", "SET", "requirepass", "secret");
			registry.acquire(LockRequest.of("a")).close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void redisReplicatesScriptsAsTheyAre(Library library) throws Exception {
		try (RedisServer old = RedisServer.startOldest()) {
			old.cli("CONFIG", "SET", "lua-replicate-commands", "no");
			LockBackend backend = library.connect(this.clients, server(old.host(), old.port()));
			try (DefaultLockRegistry registry = registry(backend)) {
				LockBackendException failure = catchThrowableOfType(LockBackendException.class,
						() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(1))));
				assertThat(failure).hasMessageContaining("set lua-replicate-commands of this Redis to yes");
				old.cli("CONFIG", "SET", "lua-replicate-commands", "yes");
				registry.acquire(LockRequest.of("a")).close();
			}
		}
	}

	@Test
	void connectionsOfLettuceAreClosedBeforeTheRegistry() throws Exception {
		connectionsAreClosedBeforeTheRegistry(Library.LETTUCE);
	}

	@Test
	void connectionsOfJedisAreClosedBeforeTheRegistry() throws Exception {
		connectionsAreClosedBeforeTheRegistry(Library.JEDIS);
	}

	private void connectionsAreClosedBeforeTheRegistry(Library library) throws Exception {
		try (DefaultLockRegistry registry = registry(library.connect(this.clients, withPassword()))) {
			registry.acquire(LockRequest.of("a")).close();
			this.clients.close();
			LockBackendException failure = catchThrowableOfType(LockBackendException.class,
					() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(5))));
			assertThat(failure).hasMessageContaining("Redis at %s:%d (%s): its connections have been closed in this JVM"
				.formatted(this.redis.host(), this.redis.port(), name(library)));
		}
	}

	@Test
	void redisHangs() throws Exception {
		try (DefaultLockRegistry registry = registry(this.clients.connect(withPassword()))) {
			registry.acquire(LockRequest.of("a")).close();
			this.redis.stop();
			LockBackendException failure = catchThrowableOfType(LockBackendException.class,
					() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(1))));
			assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT);
			assertThat(failure).hasMessageContaining("(Lettuce): no reply to a command in time");
		}
		finally {
			this.redis.resume();
		}
	}

	@Test
	void addressNamesWhatIsConfigured() {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("a:1", "b:2", "c:3", "d:4"));
		assertThat(RedisAddress.describe(cluster, "Jedis"))
			.isEqualTo("Redis cluster at a:1, b:2, c:3 and 1 more (Jedis)");
		RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration("main", Set.of("s:26379"));
		sentinels.setUsername("app");
		sentinels.setDatabase(2);
		assertThat(RedisAddress.describe(sentinels, "Lettuce"))
			.isEqualTo("Redis master 'main' known to the Sentinels at s:26379, database 2 (Lettuce, user 'app')");
		assertThat(RedisAddress.describe(new RedisSocketConfiguration("/run/redis"), "Lettuce"))
			.isEqualTo("Redis at /run/redis (Lettuce)");
	}

	private RedisStandaloneConfiguration withPassword() {
		RedisStandaloneConfiguration server = server(this.redis.host(), this.redis.port());
		server.setPassword("secret");
		return server;
	}

	private static DefaultLockRegistry registry(LockBackend backend) {
		return new DefaultLockRegistry(backend, Settings.of("test", Duration.ofSeconds(10), Duration.ofSeconds(30)),
				List.of());
	}

	private static String name(Library library) {
		return (library == Library.LETTUCE) ? "Lettuce" : "Jedis";
	}

	private static RedisStandaloneConfiguration server(String host, int port) {
		return new RedisStandaloneConfiguration(host, port);
	}

	private String messageOf(Library library, RedisStandaloneConfiguration server) {
		return failureOf(library.connect(this.clients, server)).getMessage();
	}

	private static Throwable failureOf(LockBackend backend) {
		return catchThrowableOfType(CompletionException.class, () -> backend.connect().join()).getCause();
	}

}
