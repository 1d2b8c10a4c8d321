package io.lockstarter.benchmarks.contender;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * ShedLock on Redis, which does not wait for locks.
 */
final class ShedLock implements Contender {

	private final LettuceConnectionFactory connections;

	private final LockProvider provider;

	private final Duration lease;

	private ShedLock(Setup setup) {
		this.connections = SpringData.connect(setup);
		this.provider = new RedisLockProvider.Builder(this.connections).environment("bench").build();
		this.lease = setup.lease();
	}

	static Contender start(Setup setup) {
		return new ShedLock(setup);
	}

	@Override
	public Mutex mutex(String name) {
		return new LockMutex(name);
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

	/**
	 * Lock of the provider.
	 */
	private final class LockMutex extends RetriedMutex {

		private final String name;

		private @Nullable SimpleLock held;

		private LockMutex(String name) {
			this.name = name;
		}

		@Override
		boolean tryLock() {
			this.held = ShedLock.this.provider
				.lock(new LockConfiguration(Instant.now(), this.name, ShedLock.this.lease, Duration.ZERO))
				.orElse(null);
			return this.held != null;
		}

		@Override
		public void unlock() {
			Objects.requireNonNull(this.held).unlock();
		}

	}

}
