package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisFixture;
import io.lockstarter.testing.RedisNodes;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.SteppableClock;

/**
 * Independent servers, five if no number is told, with backends over them as separate
 * applications would open them.
 */
public final class QuorumClients implements AutoCloseable {

	private static final int SERVERS = 5;

	private final RedisNodes nodes;

	private final Duration longestLease;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private QuorumClients(RedisNodes nodes, Duration longestLease) {
		this.nodes = nodes;
		this.longestLease = longestLease;
	}

	/** Start servers that have never seen a lock. */
	public static QuorumClients start(Duration longestLease) {
		return new QuorumClients(RedisNodes.start(SERVERS), longestLease);
	}

	/** Start servers that may vote at once, as those that have kept their memory. */
	public static QuorumClients startVoting(Duration longestLease) {
		return startVoting(SERVERS, longestLease);
	}

	/** Start so many servers that may vote at once. */
	public static QuorumClients startVoting(int servers, Duration longestLease) {
		return voting(new QuorumClients(RedisNodes.start(servers), longestLease));
	}

	/** Start servers that may vote at once, each with a clock that can be set. */
	public static QuorumClients startVoting(List<SteppableClock> clocks, Duration longestLease) {
		return voting(new QuorumClients(RedisNodes.start(clocks), longestLease));
	}

	private static QuorumClients voting(QuorumClients clients) {
		clients.servers().forEach((server) -> server.cli("SET", "lock:quorum", "1"));
		return clients;
	}

	public List<RedisServer> servers() {
		return this.nodes.all();
	}

	public LockBackend connect() {
		LockBackend backend = new QuorumLockBackend(
				new QuorumSettings(servers().stream().map(RedisFixture::uri).toList(), "lock:", Duration.ofMinutes(10),
						this.longestLease),
				null);
		this.opened.add(0, backend);
		backend.connect().join();
		return backend;
	}

	/** How many servers answer, and may vote. */
	public long votes() {
		return servers().stream().filter(RedisServer::isAlive).filter((server) -> {
			Object from = server.cli("GET", "lock:quorum");
			List<?> time = (List<?>) server.cli("TIME");
			return from != null
					&& Long.parseLong(from.toString()) <= Long.parseLong(time.get(0).toString()) * 1_000_000;
		}).count();
	}

	/** Close the backends, and leave the servers running. */
	public void disconnect() throws Exception {
		for (AutoCloseable backend : this.opened) {
			backend.close();
		}
		this.opened.clear();
	}

	@Override
	public void close() {
		this.nodes.close();
	}

}
