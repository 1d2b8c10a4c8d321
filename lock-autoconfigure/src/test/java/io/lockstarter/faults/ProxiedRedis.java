package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.BeforeEach;

import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

/**
 * Gives every test a network on the way to its Redis, to be broken as well.
 */
abstract class ProxiedRedis extends RedisOfItsOwn {

	/** What a waiter that lost its wake-up may take. */
	static final Duration WAKE_BOUND = Duration.ofMillis(1500);

	TcpProxy proxy;

	@BeforeEach
	@Override
	void startRedis() throws Exception {
		super.startRedis();
		this.proxy = this.registries.keep(TcpProxy.to(this.redis));
	}

	/** An instance behind the proxy, connected and with its scripts loaded. */
	DefaultLockRegistry proxied(Duration lease) throws InterruptedException {
		DefaultLockRegistry registry = this.registries.open(this.proxy.host(), this.proxy.port(), lease, this.events);
		registry.acquire(LockRequest.of("warm-up").leaseTime(Duration.ofSeconds(30))).close();
		await().untilAtomic(this.events.releases, equalTo(1));
		this.events.releases.set(0);
		return registry;
	}

	boolean isSubscribed() {
		return ((List<?>) this.redis.cli("PUBSUB", "CHANNELS", "lock:wake:*")).size() == 1;
	}

	boolean isWaitedFor() {
		return this.redis.cli("ZCARD", key("a") + ":waiters").equals(1L);
	}

	/** Wait for the lock, subscribed and registered when this method returns. */
	Future<Long> waiter(DefaultLockRegistry registry) {
		Future<Long> granted = async(() -> {
			registry.acquire(LockRequest.of("a"));
			return System.nanoTime();
		});
		await().until(this::isWaitedFor);
		await().until(this::isSubscribed);
		return granted;
	}

	static Duration wait(Future<Long> granted, long released) throws Exception {
		return Duration.ofNanos(granted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS) - released);
	}

}
