package io.lockstarter.testing;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Master with two replicas and three Sentinels, which fail over within seconds.
 */
public final class RedisSentinels implements AutoCloseable {

	private static final int REPLICAS = 2;

	private static final int SENTINELS = 3;

	private static final String QUORUM = "2";

	private static final String MASTER_NAME = "mymaster";

	private static final String HELLO_CHANNEL = "__sentinel__:hello";

	private final RedisReplication redis;

	private final RedisNodes sentinels;

	private RedisServer lastMaster;

	private RedisSentinels(RedisReplication redis, RedisNodes sentinels) {
		this.redis = redis;
		this.sentinels = sentinels;
		this.lastMaster = redis.master();
	}

	/**
	 * Starts servers, which are ready for a failover when this method returns.
	 * @param options further options of the master and of the replicas
	 */
	public static RedisSentinels start(String... options) {
		RedisReplication redis = RedisReplication.start(REPLICAS, options);
		try {
			RedisSentinels sentinels = new RedisSentinels(redis, RedisNodes.start(SENTINELS, "--sentinel"));
			sentinels.watch();
			return sentinels;
		}
		catch (RuntimeException ex) {
			redis.close();
			throw ex;
		}
	}

	public String masterName() {
		return MASTER_NAME;
	}

	/**
	 * Returns the addresses of the Sentinels.
	 */
	public List<String> addresses() {
		return this.sentinels.addresses();
	}

	public List<RedisServer> sentinels() {
		return this.sentinels.all();
	}

	/**
	 * Returns the master that the Sentinels agree on.
	 * @throws IllegalStateException if they do not agree
	 */
	public RedisServer currentMaster() {
		List<Integer> ports = masterPorts();
		if (ports.size() != 1) {
			throw new IllegalStateException("Sentinels do not agree on a master: " + ports);
		}
		return this.redis.nodes().onPort(ports.get(0));
	}

	/**
	 * Returns all servers except the current master.
	 */
	public List<RedisServer> replicas() {
		RedisServer master = currentMaster();
		return this.redis.nodes().all().stream().filter((server) -> server != master).toList();
	}

	/**
	 * Ends the current master without warning.
	 * @return the killed server
	 */
	public RedisServer killMaster() {
		RedisServer master = currentMaster();
		master.kill();
		return master;
	}

	/**
	 * Suspends a replica so that it misses the writes of its master until it is resumed.
	 */
	public void freeze(RedisServer replica) {
		this.redis.freeze(replica);
	}

	/**
	 * Waits until the Sentinels agree on another master than at first, or than after the
	 * last call. A demoted master that is back accepts writes for about ten seconds,
	 * until the Sentinels make it a replica.
	 * @return the new master
	 */
	public RedisServer awaitFailover() {
		Poll.until("Failover", this::failedOver);
		this.lastMaster = currentMaster();
		return this.lastMaster;
	}

	@Override
	public void close() {
		this.sentinels.close();
		this.redis.close();
	}

	private void watch() {
		try {
			sentinels().forEach(this::monitor);
			sentinels().forEach(this::introduce);
			sentinels().forEach((sentinel) -> Poll.until("Sentinel that knows all", () -> knowsAll(sentinel)));
		}
		catch (RuntimeException ex) {
			this.sentinels.close();
			throw ex;
		}
	}

	private void monitor(RedisServer sentinel) {
		RedisServer master = this.lastMaster;
		sentinel.cli("SENTINEL", "MONITOR", MASTER_NAME, master.host(), String.valueOf(master.port()), QUORUM);
		sentinel.cli("SENTINEL", "SET", MASTER_NAME, "down-after-milliseconds", "1000", "failover-timeout", "3000");
	}

	// Sentinels do the same themselves, but only every two seconds
	private void introduce(RedisServer sentinel) {
		RedisServer master = this.lastMaster;
		String hello = Stream
			.of(sentinel.host(), sentinel.port(), sentinel.cli("SENTINEL", "MYID"), 0, MASTER_NAME, master.host(),
					master.port(), 0)
			.map(String::valueOf)
			.collect(Collectors.joining(","));
		sentinels().stream()
			.filter((other) -> other != sentinel)
			.forEach((other) -> other.cli("PUBLISH", HELLO_CHANNEL, hello));
	}

	private static boolean knowsAll(RedisServer sentinel) {
		return entries(sentinel, "SENTINELS").filter((entry) -> field(entry, "flags").equals("sentinel"))
			.count() == SENTINELS - 1
				&& entries(sentinel, "REPLICAS").filter((entry) -> field(entry, "flags").equals("slave"))
					.filter((entry) -> field(entry, "master-link-status").equals("ok"))
					.count() == REPLICAS;
	}

	private static Stream<List<?>> entries(RedisServer sentinel, String kind) {
		return sentinel.list("SENTINEL", kind, MASTER_NAME).stream().map((entry) -> (List<?>) entry);
	}

	private static Object field(List<?> entry, String name) {
		return entry.get(entry.indexOf(name) + 1);
	}

	private boolean failedOver() {
		List<Integer> ports = masterPorts();
		return ports.size() == 1 && ports.get(0) != this.lastMaster.port()
				&& currentMaster().info("role").equals("master");
	}

	private List<Integer> masterPorts() {
		return this.sentinels.responsive().map(RedisSentinels::masterPort).distinct().toList();
	}

	private static int masterPort(RedisServer sentinel) {
		List<?> address = sentinel.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME);
		return Integer.parseInt(String.valueOf(address.get(1)));
	}

}
