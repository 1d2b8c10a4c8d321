package io.lockstarter.verification.history.latency;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.ChildJvm;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * JVM that loses locks and reports the times.
 */
final class LossHolder implements LockListener {

	static final String READY = "ready";

	static final String HELD = "held ";

	static final String LOST = "lost ";

	private final PrintStream out = System.out;

	private final DefaultLockRegistry registry;

	private final Map<String, Long> deadlines = new ConcurrentHashMap<>();

	private LossHolder(int port, Duration lease) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port));
		connections.afterPropertiesSet();
		connections.start();
		this.registry = new DefaultLockRegistry(new RedisLockBackend(connections, "lock:", Duration.ofMinutes(1)),
				new EngineSettings("holder", Duration.ofSeconds(5), lease, null, false, 64), List.of(this));
	}

	/**
	 * Runs until the parent exits.
	 * @param arguments the port of Redis, and the lease in milliseconds of renewed locks
	 * @throws InterruptedException if the thread is interrupted
	 */
	public static void main(String[] arguments) throws InterruptedException {
		LossHolder holder = new LossHolder(Integer.parseInt(arguments[0]),
				Duration.ofMillis(Long.parseLong(arguments[1])));
		holder.warmUp();
		ExecutorService executor = Executors.newSingleThreadExecutor();
		ChildJvm.exitWithParent((line) -> executor.execute(() -> holder.hold(line)));
		holder.out.println(READY);
		new CountDownLatch(1).await();
	}

	/**
	 * Connects with a lease that leaves the first command of a cold JVM enough time.
	 */
	private void warmUp() throws InterruptedException {
		this.registry.acquire(LockRequest.of("warm-up").leaseTime(Duration.ofMinutes(1))).close();
	}

	/**
	 * Acquires a lock. The line contains the name and the fixed lease in milliseconds, or
	 * zero.
	 */
	private void hold(String line) {
		String[] words = line.split(" ", -1);
		LockRequest request = LockRequest.of(words[0]).owner(LockOwner.create("holder"));
		long lease = Long.parseLong(words[1]);
		try {
			LockHandle handle = this.registry
				.acquire((lease > 0) ? request.leaseTime(Duration.ofMillis(lease)) : request);
			this.deadlines.put(words[0], System.nanoTime() + handle.remainingLease().toNanos());
			this.out.println(HELD + words[0]);
		}
		catch (LockBackendException | LockLostException | InterruptedException ex) {
			this.out.println(HELD + words[0] + " failed: " + ex);
		}
	}

	@Override
	public void lost(LockLoss loss) {
		long now = System.nanoTime();
		Long deadline = this.deadlines.get(loss.name());
		this.out.println(LOST + loss.name() + " " + now + " " + ((deadline != null) ? now - deadline : 0));
	}

}
