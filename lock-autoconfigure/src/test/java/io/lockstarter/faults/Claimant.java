package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;

import static org.awaitility.Awaitility.await;

/**
 * An instance that takes the lock "a", and keeps it, until it is killed.
 */
final class Claimant {

	private Claimant() {
	}

	/** Start an instance that will hold the lock, or wait for it. */
	static ChildJvm start(RedisServer redis, LockType type, Duration lease) {
		return start(redis, LockRequest.of("a").type(type), lease, false);
	}

	/** Start an instance that will hold the lock with one of some permits, or wait. */
	static ChildJvm start(RedisServer redis, LockRequest request, Duration lease) {
		return start(redis, request, lease, false);
	}

	/** Start an instance that will hold the lock for a fixed time, or wait for it. */
	static ChildJvm startFixed(RedisServer redis, LockType type, Duration lease) {
		return start(redis, LockRequest.of("a").type(type), lease, true);
	}

	private static ChildJvm start(RedisServer redis, LockRequest request, Duration lease, boolean fixed) {
		return ChildJvm.start(List.of("-Xmx128m"), Claimant.class, String.valueOf(redis.port()), request.type().name(),
				String.valueOf(lease.toMillis()), String.valueOf(fixed), String.valueOf(request.permits()));
	}

	static void awaitHeld(ChildJvm claimant) {
		claimant.awaitLine("held"::equals, Duration.ofSeconds(40));
	}

	/** Wait until the first in line has registered, and hears of its turn. */
	static void awaitFirstInLine(RedisServer redis) {
		await().atMost(Duration.ofSeconds(40)).until(() -> {
			List<?> first = (List<?>) redis.cli("ZRANGE", "lock:{a}:waiters", "0", "0");
			return !first.isEmpty()
					&& ((List<?>) redis.cli("PUBSUB", "NUMSUB", first.get(0).toString())).get(1).equals(1L);
		});
	}

	/** Ask until Redis answers: a first request fails while it does not. */
	private static void hold(DefaultLockRegistry registry, LockRequest request) throws InterruptedException {
		boolean held = false;
		while (!held) {
			try {
				registry.acquire(request);
				held = true;
			}
			catch (LockBackendException ex) {
				System.out.println(ex.getMessage());
			}
		}
	}

	public static void main(String[] arguments) throws Exception {
		ChildJvm.exitWithParent();
		Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
		LockRequest request = LockRequest.of("a")
			.type(LockType.valueOf(arguments[1]))
			.permits(Integer.parseInt(arguments[4]))
			.waitTime(LockRequest.FOREVER);
		try (Registries registries = new Registries()) {
			DefaultLockRegistry registry = registries.open("127.0.0.1", Integer.parseInt(arguments[0]), lease);
			Registries.warmUp(registry);
			hold(registry, Boolean.parseBoolean(arguments[3]) ? request.leaseTime(lease) : request);
			System.out.println("held");
			new CountDownLatch(1).await();
		}
	}

}
