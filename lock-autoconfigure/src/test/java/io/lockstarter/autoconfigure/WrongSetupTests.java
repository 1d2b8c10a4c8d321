package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockKeyException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisSentinels;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;
import io.lockstarter.testing.ServerCertificate;
import io.lockstarter.testing.TlsRedis;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests of what a user reads who has set something up wrongly: where, what, and the next
 * step. All texts are left in {@code target/wrong-setups.md}.
 */
@ExtendWith(OutputCaptureExtension.class)
class WrongSetupTests {

	private static final String LETTUCE = "lettuce";

	private static final String JEDIS = "jedis";

	private static final String PASSWORD = "spring.data.redis.password=secret";

	private static final String IN_MEMORY = "distributed-lock.backend=in-memory";

	private static final LockRequest REQUEST = LockRequest.of("order").waitTime(Duration.ofSeconds(1));

	private static final Map<String, String> texts = new TreeMap<>();

	private final CapturedOutput output;

	private String test = "";

	WrongSetupTests(CapturedOutput output) {
		this.output = output;
	}

	@BeforeEach
	void remember(TestInfo info) {
		this.test = info.getTestMethod().orElseThrow().getName() + " " + info.getDisplayName();
	}

	@AfterAll
	static void write() throws IOException {
		StringBuilder page = new StringBuilder("| set-up | what is read |\n| --- | --- |\n");
		texts.forEach((setup, text) -> page
			.append("| %s | %s |\n".formatted(setup, text.strip().replace("|", "\\|").replaceAll("\\R", "<br>"))));
		Files.writeString(Path.of("target", "wrong-setups.md"), page);
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void hostIsUnknown(String client) {
		firstLock(client, at("no-such-host.invalid", 6379)).tells("Redis at no-such-host.invalid:6379",
				"its host name is unknown", "check its spelling and DNS");
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void portIsWrong(String client) {
		firstLock(client, at("127.0.0.1", 1)).tells("Redis at 127.0.0.1:1", "nothing listens at this address",
				"check host and port");
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void passwordIsMissing(String client) {
		try (RedisServer redis = RedisServer.start("--requirepass", "secret")) {
			firstLock(client, at(redis)).tells(where(redis), "NOAUTH", "set spring.data.redis.password");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void passwordIsWrong(String client) {
		try (RedisServer redis = RedisServer.start("--requirepass", "secret")) {
			firstLock(client, at(redis, "spring.data.redis.password=wrong")).tells(where(redis), "WRONGPASS",
					"check spring.data.redis.username and password");
		}
	}

	/** Lettuce logs in only if Redis asks it to. */
	@Test
	void passwordIsNotNeeded() {
		try (RedisServer redis = RedisServer.start()) {
			firstLock(JEDIS, at(redis, PASSWORD)).tells(where(redis), "without any password configured",
					"remove spring.data.redis.password");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void databaseIsOutOfRange(String client) {
		try (RedisServer redis = RedisServer.start()) {
			firstLock(client, at(redis, "spring.data.redis.database=99")).tells(where(redis) + ", database 99",
					"DB index is out of range", "lower spring.data.redis.database");
		}
	}

	@Test
	void sentinelsKnowAnotherMaster() {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			firstLock(LETTUCE, "spring.data.redis.sentinel.master=other",
					"spring.data.redis.sentinel.nodes=" + String.join(",", sentinels.addresses()))
				.tells("Redis master 'other' known to the Sentinels at " + sentinels.addresses().get(0),
						"no Sentinel monitors a master of this name", "check spring.data.redis.sentinel.master");
			firstLock(LETTUCE, at(sentinels.sentinels().get(0))).tellsAtLock(where(sentinels.sentinels().get(0)),
					"unknown command 'EVALSHA'; locks need this command", "connect to Redis itself, not to a Sentinel");
		}
	}

	@Test
	void oneServerIsTakenForACluster() {
		try (RedisServer redis = RedisServer.start()) {
			firstLock(LETTUCE, "spring.data.redis.cluster.nodes=" + address(redis)).tells(
					"Redis cluster at " + address(redis), "the server is not a cluster node",
					"set spring.data.redis.host and port");
		}
	}

	@Test
	void clusterIsTakenForOneServer() {
		try (RedisCluster cluster = RedisCluster.start()) {
			RedisServer owner = cluster.ownerOf("lock:{order}");
			RedisServer other = cluster.masters().stream().filter((node) -> node != owner).findFirst().orElseThrow();
			for (String client : List.of(LETTUCE, JEDIS)) {
				firstLock(client, at(other)).tellsAtLock(where(other), "the server is a node of a cluster",
						"set spring.data.redis.cluster.nodes");
			}
		}
	}

	@Test
	void clusterThatIsTakenForOneServerServesNoSlots() {
		try (RedisServer node = RedisServer.start("--cluster-enabled", "yes")) {
			for (String client : List.of(LETTUCE, JEDIS)) {
				firstLock(client, at(node)).tellsAtLock(where(node), "CLUSTERDOWN", "check CLUSTER INFO");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void redisIsFull(String client) {
		try (RedisServer redis = RedisServer.start("--maxmemory", "1")) {
			firstLock(client, at(redis)).tellsAtLock(where(redis), "is out of memory and refuses writes",
					"raise maxmemory of this Redis");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void replicaHasLostItsMaster(String client) {
		try (RedisServer redis = RedisServer.start("--replicaof", "127.0.0.1 1", "--replica-serve-stale-data", "no")) {
			firstLock(client, at(redis)).tellsAtLock(where(redis), "is not ready (Redis at",
					"the server is a replica that has lost its master: connect to the master");
		}
	}

	/** Jedis looks for them at the start. */
	@Test
	void jedisFindsNoCluster() {
		failedStart(JEDIS, builder(), "spring.data.redis.cluster.nodes=127.0.0.1:1").tellsAtLock(
				"Redis cluster at 127.0.0.1:1 cannot be used", "nothing listens at this address",
				"Correct spring.data.redis.cluster.nodes");
		try (RedisServer redis = RedisServer.start()) {
			failedStart(JEDIS, builder(), "spring.data.redis.cluster.nodes=" + address(redis)).tellsAtLock(
					"Redis cluster at " + address(redis), "the server is not a cluster node",
					"set spring.data.redis.host and port");
		}
	}

	@Test
	void jedisFindsNoMaster() {
		failedStart(JEDIS, builder(), "spring.data.redis.sentinel.master=main",
				"spring.data.redis.sentinel.nodes=127.0.0.1:1")
			.tellsAtLock("Redis master 'main' known to the Sentinels at 127.0.0.1:1",
					"no Sentinel replies at these addresses", "Correct spring.data.redis.sentinel.master and nodes");
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			failedStart(JEDIS, builder(), "spring.data.redis.sentinel.master=other",
					"spring.data.redis.sentinel.nodes=" + String.join(",", sentinels.addresses()))
				.tellsAtLock("Redis master 'other' known to the Sentinels at " + sentinels.addresses().get(0),
						"no Sentinel monitors a master of this name", "check spring.data.redis.sentinel.master");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	@Needs(Tool.TLS)
	void serverSpeaksTlsAlone(String client) {
		try (TlsRedis redis = TlsRedis.start(ServerCertificate.shared(ServerCertificate.LOCAL))) {
			firstLock(client, at(redis.host(), redis.port(), PASSWORD)).tells(
					"Redis at %s:%d".formatted(redis.host(), redis.port()),
					"the connection broke while it was being established", "set spring.data.redis.ssl.enabled=true");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	@Needs(Tool.TLS)
	void certificateIsNotTrusted(String client) {
		try (TlsRedis redis = TlsRedis.start(ServerCertificate.shared(ServerCertificate.LOCAL))) {
			firstLock(client, at(redis.host(), redis.port(), PASSWORD, "spring.data.redis.ssl.enabled=true")).tells(
					"Redis at %s:%d".formatted(redis.host(), redis.port()),
					"the TLS handshake failed: unable to find valid",
					"trust the certificate of this host through spring.data.redis.ssl.bundle");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void redisIsFullOfClients(String client) throws Exception {
		try (RedisServer redis = RedisServer.start("--maxclients", "1");
				RespClient only = redis.connect(Duration.ofSeconds(5))) {
			assertThat(only.call("PING")).isEqualTo("PONG");
			firstLock(client, at(redis)).tells(where(redis), "", "maxclients");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LETTUCE, JEDIS })
	void anotherProtocolAnswers(String client) throws IOException {
		try (ServerSocket web = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			Thread answers = new Thread(() -> answerWithHttp(web), "web");
			answers.setDaemon(true);
			answers.start();
			// Lettuce may notice that the connection is closed before it knows what came.
			String what = client.equals(JEDIS) ? " at this address is not Redis" : "";
			firstLock(client, at("127.0.0.1", web.getLocalPort())).tells("Redis at 127.0.0.1:" + web.getLocalPort(),
					"the server" + what, "check host and port");
		}
	}

	private static void answerWithHttp(ServerSocket web) {
		byte[] answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
			.getBytes(StandardCharsets.UTF_8);
		while (!web.isClosed()) {
			try (Socket client = web.accept()) {
				if (client.getInputStream().read() >= 0) {
					client.getOutputStream().write(answer);
					client.shutdownOutput();
					client.getInputStream().readAllBytes();
				}
			}
			catch (IOException ex) {
				if (!web.isClosed() && !(ex instanceof SocketException)) {
					throw new UncheckedIOException(ex);
				}
			}
		}
	}

	/** Connecting may take ten seconds: they pass for all at the same time. */
	@Tag("stress")
	@Test
	void nothingAnswersInTime() throws IOException {
		String[] soon = { "spring.data.redis.connect-timeout=300ms", "spring.data.redis.timeout=300ms" };
		try (RedisServer redis = RedisServer.start();
				ServerSocket one = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				ServerSocket two = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				Waiting lettuce = new Waiting(start(LETTUCE, at("127.0.0.1", one.getLocalPort(), soon)));
				Waiting jedis = new Waiting(start(JEDIS, at("127.0.0.1", two.getLocalPort(), soon)));
				Waiting tls = new Waiting(start(LETTUCE, at(redis, "spring.data.redis.ssl.enabled=true")));
				Waiting sentinel = new Waiting(start(LETTUCE, "spring.data.redis.sentinel.master=main",
						"spring.data.redis.sentinel.nodes=" + address(redis)))) {
			seen(lettuce, "127.0.0.1:" + one.getLocalPort()).tells("Redis at 127.0.0.1:" + one.getLocalPort(),
					"timed out", "check host and port");
			seen(jedis, "127.0.0.1:" + two.getLocalPort()).tells("Redis at 127.0.0.1:" + two.getLocalPort(),
					"timed out", "check host and port");
			seen(sentinel, "Sentinels at " + address(redis)).tells("known to the Sentinels at " + address(redis),
					"no Sentinel replies at these addresses", "check spring.data.redis.sentinel.nodes");
			// The handshake ends by its own timeout or by that of the client, which
			// closes the connection
			seen(tls, where(redis)).tellsAtLock(where(redis), "if the server does not use TLS",
					"set spring.data.redis.ssl.enabled=false");
		}
	}

	@Test
	void addressIsThatOfAReplica() {
		try (RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 1")) {
			firstLock(LETTUCE, at(replica)).tellsAtLock(where(replica), "is a read-only replica",
					"connect to the master");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":waiters", ":clients" })
	void somethingElseHasTheKey(String suffix) {
		try (RedisServer redis = RedisServer.start()) {
			redis.cli("SET", "lock:{order}" + suffix, "text");
			firstLock(LETTUCE, at(redis)).tellsAtLock(where(redis), "holds something that is not a lock",
					"remove it or change distributed-lock.key-prefix");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "evalsha", "time", "hset", "select" })
	void commandIsNotAllowed(String command) {
		try (RedisServer redis = RedisServer.start()) {
			redis.cli("ACL", "SETUSER", "default", "-" + command);
			String text = firstLock(LETTUCE, at(redis, "spring.data.redis.database=2")).lock();
			assertThat(text).contains(where(redis), "refuses the user", "give this user the access rules in docs/acl");
			assertThat(text.toLowerCase(Locale.ROOT)).containsPattern("('|the command: )" + command);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "EVALSHA", "TIME" })
	void serverLacksACommand(String command) {
		try (RedisServer redis = RedisServer.start("--rename-command", command, "")) {
			for (String client : List.of(LETTUCE, JEDIS)) {
				firstLock(client, at(redis)).tellsAtLock(where(redis), command, "locks need this command: ");
			}
		}
	}

	@Test
	void severalConnectionFactories() {
		failedStart(builder().initializers((GenericApplicationContext context) -> {
			context.registerBean("cache", RedisConnectionFactory.class, () -> new LettuceConnectionFactory());
			context.registerBean("queue", RedisConnectionFactory.class, () -> new LettuceConnectionFactory());
		})).tellsAtLock("cache, queue", "there are several RedisConnectionFactory beans, and none is primary",
				"distributedLockConnectionFactory");
	}

	@Test
	void springBootIsTooOld() {
		failedStart(builder().initializers(new BootVersionCheck("3.5.16"))).tellsAtLock("found 3.5.16",
				"need Spring Boot 4.0 or newer", "Raise Spring Boot to 4.0 or newer");
	}

	@Test
	void connectionFactoryIsAMock() {
		RedisConnectionFactory mocked = mock();
		try (ConfigurableApplicationContext application = builder().initializers(
				(GenericApplicationContext context) -> context.registerBean(RedisConnectionFactory.class, () -> mocked))
			.run()) {
			LockBackendException failure = failureOf(application);
			note(failure.getMessage());
			assertThat(failure).hasMessageContainingAll("RedisConnectionFactory", "is a mock in a test",
					"set distributed-lock.backend=in-memory");
		}
	}

	@Test
	void propertyIsMisspelt() {
		try (ConfigurableApplicationContext application = start(LETTUCE, IN_MEMORY, "distributed-lock.wait-tme=5s")) {
			String text = awaitLine("is unknown");
			note(text);
			assertThat(text).contains("commandLineArgs",
					"The property distributed-lock.wait-tme is unknown and has no effect",
					"did you mean distributed-lock.wait-time?");
			assertThat(application.isRunning()).isTrue();
		}
	}

	@Test
	void propertyIsOutOfRange() {
		failedStart(builder(), IN_MEMORY, "distributed-lock.lease-time=99ms").tellsAtLock(
				"Origin: \"distributed-lock.lease-time\" from property source \"commandLineArgs\"", "but is 99ms",
				"must be at least 100ms");
	}

	@Test
	void keyHasNoTextOfItsOwn() {
		try (ConfigurableApplicationContext application = builder(Orders.class).run(arguments(LETTUCE, IN_MEMORY))) {
			Orders orders = application.getBean(Orders.class);
			String text = Objects.requireNonNull(
					catchThrowableOfType(LockKeyException.class, () -> orders.ship(new Order("a"))).getMessage());
			note(text);
			assertThat(text).contains("Orders.ship", "has no text that is the same in every JVM",
					"use a simple property of it, as in #order.id");
		}
	}

	@Test
	void classIsFinal() {
		failedStart(builder(FinalShop.class), IN_MEMORY).tellsAtLock("FinalShop.open",
				"is final, and no proxy can extend it", "spring.aop.proxy-target-class=false");
	}

	/** Start an application, and ask for a lock. */
	private Seen firstLock(String client, String... properties) {
		int before = this.output.toString().length();
		try (ConfigurableApplicationContext application = start(client, properties)) {
			return seen(failureOf(application), before, "");
		}
	}

	private static LockBackendException failureOf(ConfigurableApplicationContext application) {
		LockRegistry registry = application.getBean(LockRegistry.class);
		return catchThrowableOfType(LockBackendException.class, () -> registry.acquire(REQUEST));
	}

	private Seen seen(Waiting waiting, String where) {
		CompletionException failure = catchThrowableOfType(CompletionException.class, waiting.request::join);
		return seen(failure.getCause(), 0, where);
	}

	private Seen seen(Throwable failure, int before, String where) {
		String lock = Objects.requireNonNull(failure.getMessage());
		note(lock);
		return new Seen(await().until(() -> startLine(before, where), (line) -> !line.isEmpty()), lock);
	}

	private String startLine(int before, String where) {
		return this.output.toString()
			.substring(before)
			.lines()
			.filter((line) -> line.contains("Distributed locks ") && line.contains(where))
			.findFirst()
			.orElse("");
	}

	/** Start an application that does not. */
	private Seen failedStart(SpringApplicationBuilder builder, String... properties) {
		return failedStart(LETTUCE, builder, properties);
	}

	private Seen failedStart(String client, SpringApplicationBuilder builder, String... properties) {
		assertThatException().isThrownBy(() -> builder.run(arguments(client, properties)));
		String text = this.output.toString();
		String told = text.substring(text.lastIndexOf("Description:"));
		note(told);
		assertThat(told).contains("Action:");
		return new Seen("", told);
	}

	private void note(String text) {
		texts.merge(this.test, text, (first, next) -> first + "\n" + next);
	}

	private String awaitLine(String part) {
		await().until(() -> this.output.toString().contains(part));
		return this.output.toString().lines().filter((line) -> line.contains(part)).findFirst().orElseThrow();
	}

	private static ConfigurableApplicationContext start(String client, String... properties) {
		return builder().run(arguments(client, properties));
	}

	private static SpringApplicationBuilder builder(Class<?>... beans) {
		Class<?>[] sources = Stream.concat(Stream.of(Application.class), Stream.of(beans)).toArray(Class<?>[]::new);
		return new SpringApplicationBuilder(sources).web(WebApplicationType.NONE).bannerMode(Banner.Mode.OFF);
	}

	private static String[] arguments(String client, String... properties) {
		return Stream
			.concat(Stream.of("spring.data.redis.client-type=" + client,
					"logging.level.io.lockstarter.autoconfigure=info"), Stream.of(properties))
			.map("--"::concat)
			.toArray(String[]::new);
	}

	private static String[] at(RedisServer redis, String... properties) {
		return at(redis.host(), redis.port(), properties);
	}

	private static String[] at(String host, int port, String... properties) {
		List<String> all = new ArrayList<>(List.of("spring.data.redis.host=" + host, "spring.data.redis.port=" + port));
		all.addAll(List.of(properties));
		return all.toArray(String[]::new);
	}

	private static String where(RedisServer redis) {
		return "Redis at " + address(redis);
	}

	private static String address(RedisServer redis) {
		return redis.host() + ":" + redis.port();
	}

	/**
	 * An application that has requested its first lock.
	 *
	 * @param request the request, which is bound to fail
	 */
	private record Waiting(ConfigurableApplicationContext application,
			CompletableFuture<LockHandle> request) implements AutoCloseable {

		Waiting(ConfigurableApplicationContext application) {
			this(application, application.getBean(LockRegistry.class).acquireAsync(REQUEST));
		}

		@Override
		public void close() {
			this.application.close();
		}

	}

	/**
	 * What is read.
	 *
	 * @param start in the log, as the application starts
	 * @param lock when a lock is asked for, or why there is no start
	 */
	private record Seen(String start, String lock) {

		/** Both tell all there is to know. */
		void tells(String where, String what, String next) {
			tellsAtLock(where, what, next);
			assertThat(this.start).contains("cannot be acquired until their backend is available", where, what, next);
		}

		void tellsAtLock(String where, String what, String next) {
			assertThat(this.lock).contains(where, what, next);
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
			AopAutoConfiguration.class })
	static class Application {

	}

	private record Order(String id) {
	}

	static class Orders {

		@DistributedLock(key = "#order")
		public void ship(Object order) {
		}

	}

	interface Shop {

		void open();

	}

	static final class FinalShop implements Shop {

		@Override
		@DistributedLock
		public void open() {
		}

	}

}
