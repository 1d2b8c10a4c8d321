package io.lockstarter.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster with a connection to one of its nodes that is dropped on the way without a
 * word.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnresponsiveNodeTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String QUEUE = "{held}:queue";

	private final Events events = new Events();

	private final Registries registries = new Registries();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private RedisCluster cluster;

	private Map<Integer, TcpProxy> proxies;

	private LettuceConnectionFactory application;

	private DefaultLockRegistry registry;

	@BeforeEach
	void start() throws Exception {
		this.cluster = this.registries.keep(RedisCluster.start());
		this.proxies = this.cluster.nodes()
			.stream()
			.collect(Collectors.toMap(RedisServer::port, (node) -> this.registries.keep(TcpProxy.to(node))));
		ClientResources resources = ClientResources.builder()
			.socketAddressResolver(MappingSocketAddressResolver.create(this::proxied))
			.build();
		this.registries.keep((AutoCloseable) () -> resources.shutdown(0, 0, TimeUnit.MILLISECONDS).await());
		this.application = new LettuceConnectionFactory(new RedisClusterConfiguration(this.cluster.addresses()),
				LettuceClientConfiguration.builder().clientResources(resources).build());
		this.application.afterPropertiesSet();
		this.application.start();
		this.registries.keep(this.application::destroy);
		this.registry = this.registries.open(
				this.registries.keep(new RedisLockBackend(this.application, "lock:", Duration.ofMinutes(1))), LEASE,
				this.events);
		Registries.warmUp(this.registry);
	}

	private HostAndPort proxied(HostAndPort node) {
		TcpProxy proxy = this.proxies.get(node.getPort());
		return (proxy != null) ? HostAndPort.of(proxy.host(), proxy.port()) : node;
	}

	@AfterEach
	void close() throws Exception {
		this.threads.shutdownNow();
		this.registries.close();
	}

	@Test
	void locksOfTheNodeGoOnAndTheApplicationNoticesNothing() throws Exception {
		RedisServer node = this.cluster.ownerOf("lock:{held}");
		Map<Boolean, List<String>> names = IntStream.range(0, 20)
			.mapToObj((i) -> "name-" + i)
			.collect(Collectors.partitioningBy((name) -> this.cluster.ownerOf("lock:{" + name + "}") == node));
		LockHandle held = this.registry.acquire(LockRequest.of("held"));
		for (String name : names.get(false)) {
			this.registry.acquire(LockRequest.of(name)).close();
		}
		this.proxies.get(node.port()).silenceAll();
		Future<List<byte[]>> popped = async(this::pop);
		String blocked = await().atMost(PATIENCE).until(() -> blockedClient(node), (id) -> !id.isEmpty());
		for (String name : names.get(false)) {
			this.registry.acquire(LockRequest.of(name)).close();
		}
		await().atMost(Duration.ofSeconds(20)).ignoreExceptionsInstanceOf(LockBackendException.class).until(() -> {
			this.registry.acquire(LockRequest.of(names.get(true).get(0))).close();
			return true;
		});
		assertThat(held.isValid()).isTrue();
		held.close();
		assertThat(this.events.losses).isEmpty();
		assertThat(blockedClient(node)).as("connection of the application").isEqualTo(blocked);
		node.cli("RPUSH", QUEUE, "work");
		assertThat(popped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).last()
			.isEqualTo("work".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void waiterForALockOfTheNodeGetsIt() throws Exception {
		RedisServer node = this.cluster.ownerOf("lock:{held}");
		RedisClients clients = this.registries.keep(new RedisClients());
		LockHandle held = this.registries
			.open(clients.connect(new RedisClusterConfiguration(this.cluster.addresses())), LEASE)
			.acquire(LockRequest.of("held"));
		CompletableFuture<LockHandle> waiting = this.registry
			.acquireAsync(LockRequest.of("held").waitTime(Duration.ofMinutes(1)));
		await().atMost(PATIENCE).until(() -> node.cli("ZCARD", "lock:{held}:waiters").equals(1L));
		this.proxies.get(node.port()).silenceAll();
		held.close();
		waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		assertThat(this.events.losses).isEmpty();
	}

	private List<byte[]> pop() {
		try (RedisConnection connection = this.application.getConnection()) {
			return connection.listCommands().bLPop(60, QUEUE.getBytes(StandardCharsets.UTF_8));
		}
	}

	/** The id of the connection that waits in the queue, or an empty text. */
	private static String blockedClient(RedisServer node) {
		return String.valueOf(node.cli("CLIENT", "LIST"))
			.lines()
			.filter((line) -> line.contains(" cmd=blpop"))
			.map((line) -> line.split(" ", 2)[0])
			.findFirst()
			.orElse("");
	}

	private <T> Future<T> async(Callable<T> work) {
		return this.threads.submit(work);
	}

}
