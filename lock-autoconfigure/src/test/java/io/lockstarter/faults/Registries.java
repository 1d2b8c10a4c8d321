package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.redis.RedisClients;
import org.slf4j.LoggerFactory;

import static org.awaitility.Awaitility.await;

/**
 * Opens registries as separate instances of an application would, each over connections
 * of its own, and closes them.
 */
final class Registries implements AutoCloseable {

	static final Duration WAIT = Duration.ofSeconds(20);

	private static final Duration RETENTION = Duration.ofMinutes(10);

	static {
		// Lettuce tells every command at debug level
		((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
	}

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	DefaultLockRegistry open(String host, int port, Duration lease, LockListener... listeners) {
		return open(host, port, RETENTION, lease, listeners);
	}

	DefaultLockRegistry open(String host, int port, Duration retention, Duration lease, LockListener... listeners) {
		RedisClients clients = new RedisClients();
		this.opened.push(clients);
		return open(clients.connect(host, port, retention), lease, listeners);
	}

	DefaultLockRegistry open(LockBackend backend, Duration lease, LockListener... listeners) {
		EngineSettings settings = Settings.of("instance", WAIT, lease);
		DefaultLockRegistry registry = new DefaultLockRegistry(backend, settings, List.of(listeners));
		this.opened.push(registry);
		return registry;
	}

	/**
	 * Connect and load the scripts, however long a cold JVM on a busy machine takes for
	 * that.
	 */
	static void warmUp(LockRegistry registry) {
		LockRequest request = LockRequest.of("warm-up-" + ProcessHandle.current().pid())
			.leaseTime(Duration.ofSeconds(30));
		await().pollInSameThread()
			.pollDelay(Duration.ZERO)
			.atMost(Duration.ofSeconds(30))
			.ignoreExceptionsInstanceOf(LockBackendException.class)
			.until(() -> {
				registry.acquire(request).close();
				return true;
			});
	}

	/** Close something together with the registries, before those opened so far. */
	<T extends AutoCloseable> T keep(T closeable) {
		this.opened.push(closeable);
		return closeable;
	}

	@Override
	public void close() throws Exception {
		while (!this.opened.isEmpty()) {
			this.opened.pop().close();
		}
	}

}
