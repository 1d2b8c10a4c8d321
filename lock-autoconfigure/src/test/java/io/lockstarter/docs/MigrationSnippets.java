package io.lockstarter.docs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.lockstarter.adapter.IntegrationLockRegistry;
import io.lockstarter.adapter.ShedLockProvider;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.NamedReadWriteLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The code of ours that docs/migration.md and docs/generated/equivalents.md show.
 */
class MigrationSnippets {

	void lock(LockRegistry registry) throws InterruptedException {
		NamedLock lock = registry.get("report");
		lock.lock();
		lock.tryLock();
		lock.tryLock(2, TimeUnit.SECONDS);
		lock.isHeldByCurrentOwner();
		lock.holdCount();
		lock.remainingLease();
		lock.isLocked();
		lock.remainingLeaseOfHolder();
		lock.unlock();
	}

	void terms(LockRegistry registry) throws InterruptedException {
		registry.get(LockRequest.of("report").leaseTime(Duration.ofSeconds(10)));
		registry.get(LockRequest.of("report").type(LockType.FAIR));
		registry.get(LockRequest.of("report").type(LockType.READ));
		registry.get(LockRequest.of("report").type(LockType.WRITE));
		registry.tryAcquire(LockRequest.of("report").waitTime(Duration.ofSeconds(2)).leaseTime(Duration.ofSeconds(10)));
		registry.acquireAll(List.of(LockRequest.of("a").waitTime(LockRequest.FOREVER),
				LockRequest.of("b").waitTime(LockRequest.FOREVER)));
		registry.acquire(LockRequest.of("report").waitTime(LockRequest.FOREVER)).fencingToken();
		registry.acquireAsync(LockRequest.of("report").waitTime(LockRequest.FOREVER));
		LockOwner owner = LockOwner.create("import");
		registry.acquireAsync(LockRequest.of("report").owner(owner).waitTime(LockRequest.FOREVER));
		registry.acquire(LockRequest.of("render").permits(4).waitTime(LockRequest.FOREVER));
		registry.tryAcquire(
				LockRequest.of("render").permits(4).waitTime(Duration.ofSeconds(2)).leaseTime(Duration.ofSeconds(10)));
		LockHandle handle = registry.acquire(LockRequest.of("render").permits(4));
		handle.extend(Duration.ofSeconds(60));
		handle.close();
		registry.get("orders:42").extend(Duration.ofSeconds(60));
	}

	void readWrite(LockRegistry registry) {
		NamedReadWriteLock lock = registry.readWriteLock("report");
		lock.writeLock().lock();
		registry.readWriteLock("report").readLock().lock();
		registry.readWriteLock("report").writeLock().unlock();
	}

	void work(LockRegistry registry, LockMonitor monitor, Runnable task) throws InterruptedException {
		registry.execute(LockRequest.of("settlement"), task::run);
		registry.execute(LockRequest.of("orders:42").waitTime(LockRequest.FOREVER), task::run);
		monitor.forceRelease("report");
	}

	Optional<LockHandle> once(LockRegistry registry) throws InterruptedException {
		return registry.tryAcquire(LockRequest.of("settlement").waitTime(Duration.ZERO));
	}

	void bothLocks(LockRegistry registry, Lock oldLock) {
		oldLock.lock();
		try {
			NamedLock lock = registry.get("report");
			lock.lock();
			try {
				work();
			}
			finally {
				lock.unlock();
			}
		}
		finally {
			oldLock.unlock();
		}
	}

	static class Jobs {

		@DistributedLock(name = "settlement", waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "10s")
		public String settle() {
			return "settled";
		}

		@DistributedLock(name = "clean-up", waitTime = "0", leaseTime = "10m", onTimeout = OnTimeout.SKIP,
				holdAtLeast = "10s")
		public Duration cleanUp() {
			LockContext.current().extend(Duration.ofMinutes(15));
			return LockContext.current().remainingLease();
		}

		@DistributedLock(name = "order", key = "#id", waitTime = "2s")
		public String ship(String id) {
			return id;
		}

		@DistributedLock(name = "user", key = "#id + '.' + #tenant")
		public String rename(String id, String tenant) {
			return id + tenant;
		}

		@DistributedLock(name = "quick", waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "30s")
		public void tidy() {
		}

		@DistributedLock(name = "order", key = "#id", type = LockType.FAIR)
		public String queue(String id) {
			return id;
		}

		@DistributedLock(name = "price", type = LockType.READ)
		public void read() {
		}

		@DistributedLock(name = "price", type = LockType.WRITE)
		public void write() {
		}

		@DistributedLock(name = "order", key = "#id", fallback = "busy")
		public String cancel(String id) {
			return id;
		}

		String busy(String id) {
			return "busy";
		}

		@DistributedLock(name = "order", key = "#id", waitTime = "2s", leaseTime = "60s")
		public String bill(String id) {
			return id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class IntegrationBean {

		@Bean
		IntegrationLockRegistry lockRegistry(LockRegistry registry) {
			return new IntegrationLockRegistry(registry, "orders", Duration.ofSeconds(60));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ShedLockBean {

		@Bean
		LockProvider lockProvider(LockRegistry registry) {
			return new ShedLockProvider(registry);
		}

	}

	/**
	 * Takes the lock of the old provider and that of the new one.
	 */
	record BothProviders(LockProvider oldOne, LockProvider newOne) implements LockProvider {

		@Override
		public Optional<SimpleLock> lock(LockConfiguration configuration) {
			Optional<SimpleLock> outer = this.oldOne.lock(configuration);
			if (outer.isEmpty()) {
				return outer;
			}
			Optional<SimpleLock> inner = Optional.empty();
			try {
				inner = this.newOne.lock(configuration);
			}
			finally {
				if (inner.isEmpty()) {
					outer.get().unlock();
				}
			}
			return inner.map((lock) -> () -> unlock(lock, outer.get()));
		}

		private static void unlock(SimpleLock inner, SimpleLock outer) {
			try {
				inner.unlock();
			}
			finally {
				outer.unlock();
			}
		}

	}

	void inATest() {
		LockContext.assertHeld();
	}

	private void work() {
	}

}
