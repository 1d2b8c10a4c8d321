package io.lockstarter.benchmarks.contender;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Lock4j with its template, because its auto-configuration requires Spring Boot 2 or 3.
 */
final class Lock4jTemplate implements Contender {

	private static final Duration LONGEST_TRY = Duration.ofMinutes(1);

	private final LettuceConnectionFactory connections;

	private final LockTemplate template = new LockTemplate();

	private final Duration lease;

	private Lock4jTemplate(Setup setup) {
		this.connections = SpringData.connect(setup);
		this.lease = setup.lease();
		Lock4jProperties properties = new Lock4jProperties();
		this.template.setProperties(properties);
		this.template.setExecutors(
				List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(this.connections), properties)));
		try {
			this.template.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException("Lock4j did not start", ex);
		}
	}

	static Contender start(Setup setup) {
		return new Lock4jTemplate(setup);
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
	 * Lock of the template.
	 */
	private final class LockMutex extends RetriedMutex {

		private final String name;

		private @Nullable LockInfo held;

		private LockMutex(String name) {
			this.name = name;
		}

		@Override
		boolean tryLock() {
			this.held = Lock4jTemplate.this.template.lock(this.name, Lock4jTemplate.this.lease.toMillis(),
					LONGEST_TRY.toMillis());
			return this.held != null;
		}

		@Override
		public void unlock() {
			Lock4jTemplate.this.template.releaseLock(Objects.requireNonNull(this.held));
		}

	}

}
