package io.lockstarter.benchmarks.contender;

import java.util.UUID;
import java.util.concurrent.ExecutionException;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * Two scripts over one connection, which are the lower bound of two round trips.
 */
final class RawLettuce implements Contender {

	private final RedisClient client;

	private final RedisAsyncCommands<String, String> commands;

	private final String acquire;

	private final String release;

	private final String lease;

	private RawLettuce(Setup setup) {
		this.client = RedisClient.create(setup.uri());
		StatefulRedisConnection<String, String> connection = this.client.connect();
		this.acquire = connection.sync().scriptLoad(RawScripts.ACQUIRE);
		this.release = connection.sync().scriptLoad(RawScripts.RELEASE);
		this.commands = connection.async();
		this.lease = String.valueOf(setup.lease().toMillis());
	}

	static Contender start(Setup setup) {
		return new RawLettuce(setup);
	}

	@Override
	public Mutex mutex(String name) {
		return new ScriptMutex(name);
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	/**
	 * Key that is set while the lock is held.
	 */
	private final class ScriptMutex extends RetriedMutex {

		private final String[] keys;

		private final String owner = UUID.randomUUID().toString();

		private ScriptMutex(String name) {
			this.keys = new String[] { name };
		}

		@Override
		boolean tryLock() throws InterruptedException {
			return run(RawLettuce.this.acquire, this.owner, RawLettuce.this.lease);
		}

		@Override
		public void unlock() {
			try {
				if (!run(RawLettuce.this.release, this.owner)) {
					throw new IllegalMonitorStateException("Not held");
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		private boolean run(String script, String... arguments) throws InterruptedException {
			RedisFuture<Long> reply = RawLettuce.this.commands.evalsha(script, ScriptOutputType.INTEGER, this.keys,
					arguments);
			try {
				return reply.get() == 1;
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException(ex.getCause());
			}
		}

	}

}
