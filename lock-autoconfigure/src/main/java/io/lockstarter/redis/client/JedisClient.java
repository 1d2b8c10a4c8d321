package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Client that runs the blocking commands of Jedis on a few separate threads.
 * <p>
 * All commands of one lock go through one lane, in the order in which they were issued. A
 * release must not arrive before the acquire that precedes it. The scripts recognize late
 * commands, so the wrong order would only block the lock for one lease. Each node of a
 * cluster has separate lanes, so a hung node delays only its own locks. A command whose
 * caller has stopped waiting is not sent. A command that hangs ends with the read
 * timeout.
 */
final class JedisClient implements RedisClient {

	private static final LockLog logger = LockLog.of(JedisClient.class);

	private static final int LANES = 4;

	private static final String WAITS = "waits";

	private static final String CONNECTS = "connects";

	private static final String SEARCHES = "searches";

	/**
	 * Maximum number of connections that one search for the master tries: all pooled ones
	 * and a new one.
	 */
	private static final int TRIES = JedisSettings.CONNECTIONS + 1;

	private final SerialExecutors lanes = new SerialExecutors("lock-jedis");

	private final JedisFactory factory;

	private final JedisConnections connections;

	private final @Nullable JedisTopology topology;

	private final MasterSearch masterSearch;

	private final Runnable onReplaced;

	private final ScriptCall probe;

	private volatile @Nullable CompletableFuture<?> connected;

	JedisClient(JedisConnectionFactory connectionFactory, Duration replicaTimeout, Runnable onReplaced,
			ScriptCall probe) {
		this.factory = new JedisFactory(connectionFactory, replicaTimeout);
		if (this.factory.isCluster() && !replicaTimeout.isZero()) {
			throw new IllegalStateException("Use Lettuce, or set distributed-lock.replication.min-replicas=0: in a"
					+ " cluster, Jedis offers no connection on which locks could wait for replicas.");
		}
		this.connections = new JedisConnections(this.factory, this.lanes);
		this.topology = this.factory.isCluster() ? new JedisTopology(this.factory, this.lanes) : null;
		this.masterSearch = new MasterSearch(this::findMaster, (task) -> this.lanes.run(SEARCHES, task));
		this.onReplaced = onReplaced;
		this.probe = probe;
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
			// In a cluster, a PING would go to all masters, one of which may hang.
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
		// In a cluster, Jedis itself retries a command that got no reply.
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

	/**
	 * Returns {@code false}: the thread of a dropped subscription would go on waiting for
	 * messages, and would keep a connection of the pool.
	 */
	@Override
	public boolean dropsUnresponsive() {
		return false;
	}

	@Override
	public RedisConnection openSeparate() {
		return this.connections.open();
	}

	@Override
	public void unsubscribe(RedisConnection connection, boolean dropped) {
		boolean usable = false;
		try {
			Subscription subscription = connection.getSubscription();
			if (subscription != null) {
				subscription.close();
			}
			usable = !dropped;
		}
		finally {
			if (!usable) {
				JedisConnections.discard(connection);
			}
		}
	}

	@Override
	public void release(RedisConnection connection, boolean dropped) {
		if (dropped || connection.isSubscribed()) {
			JedisConnections.drop(connection);
		}
		else {
			connection.close();
		}
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
	public CompletableFuture<Acknowledged> callAndWait(List<WaitCall> calls, int replicas, Duration timeout) {
		return this.connections.send(WAITS,
				(redis) -> JedisScripts.evaluateAndWait(redis, calls, replicas, timeout, this::explain));
	}

	@Override
	public CompletableFuture<Boolean> dropDemotedMaster() {
		return this.masterSearch.find();
	}

	/**
	 * Tries pooled connections until one reaches a master. The others are removed from
	 * the pool.
	 */
	private boolean findMaster() {
		if (isCluster()) {
			return false;
		}
		this.connections.discardBorrowed();
		for (int i = 0; i < TRIES; i++) {
			try {
				return this.connections.apply(this::reachesMaster);
			}
			catch (RuntimeException ex) {
				if (!JedisFailures.isFromNonMaster(ex)) {
					throw ex;
				}
			}
		}
		return false;
	}

	private boolean reachesMaster(RedisConnection redis) {
		JedisScripts.evaluate(redis, this.probe, false);
		logger.warn("Redis accepts writes on a new connection, but not on the current one, which is replaced");
		this.onReplaced.run();
		return true;
	}

	@Override
	public RedisFailure explain(Throwable failure) {
		CompletableFuture<?> current = this.connected;
		return JedisFailures.explain(failure, current != null && !current.isCompletedExceptionally(),
				this.factory.address());
	}

	@Override
	public String address() {
		return this.factory.address();
	}

	@Override
	public String topology() {
		return this.factory.topology();
	}

	@Override
	public RedisFailure explainTimeout() {
		CompletableFuture<?> current = this.connected;
		boolean connecting = current == null || !current.isDone();
		return new RedisFailure(RedisFailure.Kind.TIMEOUT,
				connecting ? FailureText.ofConnecting(this.factory.usesTls()) : FailureText.NO_REPLY, null)
			.at(this.factory.address());
	}

	@Override
	public void refreshTopology() {
		JedisTopology nodes = this.topology;
		if (nodes != null) {
			nodes.refresh();
		}
	}

	@Override
	public void disconnect() {
		this.factory.stop();
	}

	@Override
	public void close() {
		this.lanes.close();
		this.factory.close();
	}

}
