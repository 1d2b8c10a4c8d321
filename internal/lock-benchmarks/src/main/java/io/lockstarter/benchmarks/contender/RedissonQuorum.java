package io.lockstarter.benchmarks.contender;

import java.util.List;

import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * Redisson's lock in a majority of independent servers.
 */
final class RedissonQuorum implements Contender {

	private final List<RedissonClient> clients;

	private RedissonQuorum(Setup setup) {
		this.clients = setup.uris().stream().map((uri) -> RedissonLocks.connect(setup, uri)).toList();
	}

	static Contender start(Setup setup) {
		return new RedissonQuorum(setup);
	}

	@Override
	@SuppressWarnings("deprecation") // The only lock of its kind that Redisson has
	public Mutex mutex(String name) {
		RLock[] locks = this.clients.stream().map((client) -> client.getLock(name)).toArray(RLock[]::new);
		return new RedissonLocks.LockMutex(new RedissonRedLock(locks), RLock::lock);
	}

	@Override
	public void close() {
		this.clients.forEach(RedissonClient::shutdown);
	}

}
