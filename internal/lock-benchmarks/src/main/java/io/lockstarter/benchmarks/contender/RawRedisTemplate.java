package io.lockstarter.benchmarks.contender;

import java.util.List;
import java.util.UUID;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Two scripts of {@link RawLettuce}, run by Spring Data Redis.
 */
final class RawRedisTemplate implements Contender {

	private static final RedisScript<Long> ACQUIRE = RedisScript.of(RawScripts.ACQUIRE, Long.class);

	private static final RedisScript<Long> RELEASE = RedisScript.of(RawScripts.RELEASE, Long.class);

	private final LettuceConnectionFactory connections;

	private final StringRedisTemplate template;

	private final String lease;

	private RawRedisTemplate(Setup setup) {
		this.connections = SpringData.connect(setup);
		this.template = new StringRedisTemplate(this.connections);
		this.lease = String.valueOf(setup.lease().toMillis());
	}

	static Contender start(Setup setup) {
		return new RawRedisTemplate(setup);
	}

	@Override
	public Mutex mutex(String name) {
		return new TemplateMutex(name);
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

	/**
	 * Key that is set while the lock is held.
	 */
	private final class TemplateMutex extends RetriedMutex {

		private final List<String> keys;

		private final String owner = UUID.randomUUID().toString();

		private TemplateMutex(String name) {
			this.keys = List.of(name);
		}

		@Override
		boolean tryLock() {
			return RawRedisTemplate.this.template.execute(ACQUIRE, this.keys, this.owner,
					RawRedisTemplate.this.lease) == 1;
		}

		@Override
		public void unlock() {
			if (RawRedisTemplate.this.template.execute(RELEASE, this.keys, this.owner) != 1) {
				throw new IllegalMonitorStateException("Not held");
			}
		}

	}

}
