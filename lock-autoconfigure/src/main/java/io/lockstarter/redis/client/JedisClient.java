package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Jedis, whose commands block, on a few threads of its own.
 * <p>
 * The commands of one lock go through one lane, in the order in which they came: an
 * acquire must not be overtaken by the release that follows it, although that would only
 * cost a lease, since the scripts tell late commands from new ones. The lanes of a
 * cluster are apart by node, so that a hung node holds up only the locks it has. A
 * command that nobody waits for any more is not sent; one that hangs ends with the read
 * timeout that the connection factory is set to.
 */
final class JedisClient implements RedisClient {

	private static final LockLog logger = LockLog.of(JedisClient.class);

	private static final int LANES = 4;

	private static final String WAITS = "waits";

	private static final String CONNECTS = "connects";

	private static final String SEARCHES = "searches";

	/** How many connections are looked at; what others give back may lead anywhere. */
	private static final int TRIES = 3;

	/** The subscription takes one connection, commands need another. */
	private static final int LEAST_CONNECTIONS = 2;

	private final SerialExecutors lanes = new SerialExecutors("lock-jedis");

	private final JedisConnections connections;

	private final @Nullable JedisTopology topology;

	private final MasterSearch masterSearch;

	private final Runnable onReplaced;

	private final ScriptCall probe;

	private volatile @Nullable CompletableFuture<?> connected;

	JedisClient(JedisConnectionFactory connectionFactory, boolean awaitsReplicas, Runnable onReplaced,
			ScriptCall probe) {
		requireConnections(connectionFactory, awaitsReplicas);
		boolean cluster = connectionFactory.isRedisClusterAware();
		if (cluster && awaitsReplicas) {
			throw new IllegalStateException("Use Lettuce, or set distributed-lock.replication.min-replicas=0: in a"
					+ " cluster, Jedis has no connection on which locks could wait for replicas.");
		}
		this.connections = new JedisConnections(connectionFactory, this.lanes);
		this.topology = cluster ? new JedisTopology(connectionFactory, this.lanes) : null;
		this.masterSearch = new MasterSearch(this::findMaster, (task) -> this.lanes.run(SEARCHES, task));
		this.onReplaced = onReplaced;
		this.probe = probe;
	}

	private static void requireConnections(JedisConnectionFactory connectionFactory, boolean awaitsReplicas) {
		var pool = connectionFactory.getPoolConfig();
		int least = LEAST_CONNECTIONS + (awaitsReplicas ? 1 : 0);
		if (pool != null && pool.getMaxTotal() >= 0 && pool.getMaxTotal() < least) {
			throw new IllegalStateException(String.format(Locale.ROOT,
					"Raise spring.data.redis.jedis.pool.max-active: locks need %d connections, but Jedis' pool has %d.",
					least, pool.getMaxTotal()));
		}
	}

	@Override
	public CompletableFuture<?> connect() {
		CompletableFuture<?> current = this.connected;
		return (current != null && !current.isCompletedExceptionally()) ? current : firstContact();
	}

	private synchronized CompletableFuture<?> firstContact() {
		CompletableFuture<?> current = this.connected;
		if (current == null || current.isCompletedExceptionally()) {
			JedisTopology nodes = this.topology;
			// All masters of a cluster would be asked to answer a PING, and one may hang.
			current = (nodes != null) ? nodes.slots()
					: this.connections.send(CONNECTS, (redis) -> String.valueOf(redis.ping()));
			this.connected = current;
		}
		return current;
	}

	@Override
	public boolean isCluster() {
		return this.topology != null;
	}

	@Override
	public CompletableFuture<List<Object>> call(ScriptCall call, boolean byDigest) {
		// In a cluster, Jedis itself sends a command again that was not answered.
		ScriptCall sent = isCluster() ? call.repeated() : call;
		return this.connections.send(lane(call.key()), (redis) -> JedisScripts.evaluate(redis, sent, byDigest));
	}

	@Override
	public CompletableFuture<?> publish(String channel, String message) {
		return this.connections.send(lane(channel),
				(redis) -> redis.publish(ScriptCall.bytes(channel), ScriptCall.bytes(message)));
	}

	private Object lane(String key) {
		int number = Math.floorMod(key.hashCode(), LANES);
		JedisTopology nodes = this.topology;
		return (nodes != null) ? List.of(nodes.nodeOf(key), number / 2) : number;
	}

	/** Its thread would go on to wait for messages, and keep a connection of the pool. */
	@Override
	public boolean leavesSilence() {
		return false;
	}

	@Override
	public RedisConnection openForMessages() {
		return this.connections.open();
	}

	@Override
	public void unsubscribe(RedisConnection connection, boolean left) {
		boolean usable = false;
		try {
			Subscription subscription = connection.getSubscription();
			if (subscription != null) {
				subscription.close();
			}
			usable = !left;
		}
		finally {
			if (!usable) {
				JedisConnections.hangUp(connection);
			}
		}
	}

	@Override
	public void giveBack(RedisConnection connection, boolean left) {
		if (left || connection.isSubscribed()) {
			JedisConnections.drop(connection);
		}
		else {
			connection.close();
		}
	}

	/** A connection that is in use is not closed with its pool. */
	@Override
	public boolean isStopped() {
		return false;
	}

	@Override
	public Object nodeOf(String key) {
		return WAITS;
	}

	@Override
	public CompletableFuture<List<Integer>> slots() {
		JedisTopology nodes = this.topology;
		return (nodes != null) ? nodes.slots() : CompletableFuture.completedFuture(List.of(0));
	}

	@Override
	public CompletableFuture<Acknowledged> callAndWait(List<Once> calls, int replicas, Duration timeout) {
		return this.connections.send(WAITS, (redis) -> JedisScripts.evaluateAndWait(redis, calls, replicas, timeout));
	}

	@Override
	public CompletableFuture<Boolean> leaveFormerMaster() {
		return this.masterSearch.find();
	}

	/** Each failed attempt has emptied the pool. */
	private boolean findMaster() {
		for (int i = 0; i < TRIES && !isCluster(); i++) {
			try {
				return this.connections.apply(this::reachesMaster);
			}
			catch (RuntimeException ex) {
				if (!JedisFailures.isOfNoMaster(ex)) {
					throw ex;
				}
			}
		}
		return false;
	}

	private boolean reachesMaster(RedisConnection redis) {
		JedisScripts.evaluate(redis, this.probe, false);
		logger.warn("Redis takes writes on a new connection, but not on the one in use, which is made anew");
		this.onReplaced.run();
		return true;
	}

	@Override
	public RedisFailure explain(Throwable failure) {
		CompletableFuture<?> current = this.connected;
		return JedisFailures.explain(failure, current != null && !current.isCompletedExceptionally(),
				this.connections.address());
	}

	@Override
	public String address() {
		return this.connections.address();
	}

	@Override
	public String topology() {
		return this.connections.topology();
	}

	@Override
	public RedisFailure explainSilence() {
		CompletableFuture<?> current = this.connected;
		boolean connecting = current == null || !current.isDone();
		String text = connecting ? FailureText.ofConnecting(this.connections.useTls())
				: this.connections.isPoolAwaited() ? FailureText.JEDIS_POOL_AWAITED : "no answer to a command in time";
		return new RedisFailure(RedisFailure.Kind.TIMEOUT, text, null).at(this.connections.address());
	}

	@Override
	public void checkConnection() {
		JedisTopology nodes = this.topology;
		if (nodes != null) {
			nodes.refresh();
		}
	}

	@Override
	public void close() {
		this.lanes.close();
	}

}
