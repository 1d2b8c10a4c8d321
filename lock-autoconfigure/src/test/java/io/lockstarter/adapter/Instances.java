package io.lockstarter.adapter;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.RedisServer;

import static org.awaitility.Awaitility.await;

/**
 * Instances of an application that share their locks.
 */
final class Instances implements AutoCloseable {

	private static final Duration WAIT = Duration.ofSeconds(20);

	private final Supplier<LockBackend> backends;

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	/** The locks that any of them has lost. */
	final Queue<LockLoss> losses = new ConcurrentLinkedQueue<>();

	private Instances(Supplier<LockBackend> backends) {
		this.backends = backends;
	}

	static Instances inMemory() {
		InMemoryLockStore store = new InMemoryLockStore();
		return new Instances(() -> new InMemoryLockBackend(store));
	}

	static Instances on(RedisServer redis) {
		RedisClients clients = new RedisClients();
		Instances instances = new Instances(() -> clients.connect(redis.host(), redis.port()));
		instances.opened.push(clients);
		return instances;
	}

	DefaultLockRegistry open(Duration lease) {
		return open(Settings.of("instance", WAIT, lease));
	}

	DefaultLockRegistry open(EngineSettings settings) {
		LockBackend backend = this.backends.get();
		this.opened.push(backend);
		DefaultLockRegistry registry = new DefaultLockRegistry(backend, settings, List.of(listener()));
		this.opened.push(registry);
		warmUp(registry);
		return registry;
	}

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void lost(LockLoss loss) {
				Instances.this.losses.add(loss);
			}

		};
	}

	/**
	 * Connect and load the scripts, however long a cold JVM on a busy machine takes for
	 * that.
	 */
	private static void warmUp(DefaultLockRegistry registry) {
		LockRequest request = LockRequest.of("warm-up").leaseTime(Duration.ofSeconds(30));
		await().pollInSameThread()
			.pollDelay(Duration.ZERO)
			.atMost(Duration.ofSeconds(30))
			.ignoreExceptionsInstanceOf(LockBackendException.class)
			.until(() -> {
				registry.acquire(request).close();
				return true;
			});
	}

	@Override
	public void close() throws Exception {
		while (!this.opened.isEmpty()) {
			this.opened.pop().close();
		}
	}

}
