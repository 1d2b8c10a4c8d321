package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lockstarter.redis.client.RedisFailure.Kind;
import io.lockstarter.redis.script.ScriptCall;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPipelineException;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Jedis, whose commands block, on a few threads of its own. A thread takes a connection
 * from the pool for each command, as long as it lasts.
 * <p>
 * The commands of one lock go through one lane, in the order in which they came: an
 * acquire must not be overtaken by the release that follows it, although that would only
 * cost a lease, since the scripts tell late commands from new ones. The lanes of a
 * cluster are apart by node, so that a hung node holds up only the locks it has. A
 * command that nobody waits for any more is not sent; one that hangs ends with the read
 * timeout that the connection factory is set to.
 */
final class JedisClient implements RedisClient {

	private static final Log logger = LogFactory.getLog(JedisClient.class);

	private static final int LANES = 4;

	private static final String WAITS = "waits";

	private static final String CONNECTS = "connects";

	private static final String SEARCHES = "searches";

	/** How many connections are looked at; what others give back may lead anywhere. */
	private static final int TRIES = 3;

	/** The subscription takes one connection, commands need another. */
	private static final int LEAST_CONNECTIONS = 2;

	private final RedisConnectionFactory connectionFactory;

	private final SerialExecutors lanes = new SerialExecutors("lock-jedis");

	private final @Nullable JedisTopology topology;

	private final MasterSearch masterSearch;

	private final Runnable onReplaced;

	private final ScriptCall probe;

	private volatile @Nullable CompletableFuture<?> connected;

	JedisClient(JedisConnectionFactory connectionFactory, boolean awaitsReplicas, Runnable onReplaced,
			ScriptCall probe) {
		this.connectionFactory = connectionFactory;
		requireConnections(connectionFactory, awaitsReplicas);
		boolean cluster = connectionFactory.isRedisClusterAware();
		if (cluster && awaitsReplicas) {
			throw new IllegalStateException("Use Lettuce, or set distributed-lock.replication.min-replicas=0: in a"
					+ " cluster, Jedis has no connection on which locks could wait for replicas.");
		}
		this.topology = cluster ? new JedisTopology(connectionFactory, this.lanes) : null;
		this.masterSearch = new MasterSearch(this::findMaster, (task) -> this.lanes.run(SEARCHES, task));
		this.onReplaced = onReplaced;
		this.probe = probe;
	}

	private static void requireConnections(JedisConnectionFactory connectionFactory, boolean awaitsReplicas) {
		var pool = connectionFactory.getPoolConfig();
		int least = LEAST_CONNECTIONS + (awaitsReplicas ? 1 : 0);
		if (pool != null && pool.getMaxTotal() >= 0 && pool.getMaxTotal() < least) {
			throw new IllegalStateException(
					"Raise spring.data.redis.jedis.pool.max-active: locks need %d connections, but Jedis' pool has %d."
						.formatted(least, pool.getMaxTotal()));
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
			current = (nodes != null) ? nodes.slots() : send(CONNECTS, (redis) -> String.valueOf(redis.ping()));
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
		return send(lane(call.key()), (redis) -> list(evaluate(redis, call, byDigest)));
	}

	private static @Nullable Object evaluate(RedisConnection redis, ScriptCall call, boolean byDigest) {
		byte[][] keysAndArguments = ScriptCall.bytes(call.keysAndArguments());
		int keys = call.keys().size();
		return byDigest
				? redis.scriptingCommands().evalSha(call.script().sha(), ReturnType.VALUE, keys, keysAndArguments)
				: redis.scriptingCommands()
					.eval(ScriptCall.bytes(call.script().text()), ReturnType.VALUE, keys, keysAndArguments);
	}

	/** Lettuce makes a list of a single value; so does this. */
	@SuppressWarnings("unchecked")
	private static List<Object> list(@Nullable Object reply) {
		return (reply instanceof List<?> several) ? (List<Object>) several : List.of(Objects.requireNonNull(reply));
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

	/**
	 * The pool drops what is broken, and all that is idle.
	 */
	@Override
	public void hangUp(RedisConnection connection) {
		Object used = connection.getNativeConnection();
		if (used instanceof Jedis jedis) {
			jedis.disconnect();
		}
		else if (used instanceof redis.clients.jedis.RedisClient client) {
			client.getPool().clear();
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

	/**
	 * A pipeline takes one connection from the pool, so WAIT follows the scripts on it.
	 */
	@Override
	public CompletableFuture<Acknowledged> callAndWait(List<Once> calls, int replicas, Duration timeout) {
		return send(WAITS, (redis) -> {
			redis.openPipeline();
			calls.forEach((call) -> evaluate(redis, call.script(), call.byDigest()));
			redis.execute("WAIT", ScriptCall.bytes(Integer.toString(replicas)),
					ScriptCall.bytes(Long.toString(timeout.toMillis())));
			return acknowledged(closePipeline(redis));
		});
	}

	private static List<?> closePipeline(RedisConnection redis) {
		try {
			return redis.closePipeline();
		}
		catch (RedisPipelineException ex) {
			return ex.getPipelineResult();
		}
	}

	private static Acknowledged acknowledged(List<?> results) {
		List<CompletableFuture<List<Object>>> replies = new ArrayList<>();
		for (Object result : results.subList(0, results.size() - 1)) {
			replies.add(reply(result));
		}
		Object last = results.get(results.size() - 1);
		if (last instanceof Long replicas) {
			return new Acknowledged(replies, replicas);
		}
		if (last instanceof RuntimeException failure) {
			throw failure;
		}
		throw new RedisFailure(Kind.LOST, "Replicas were not counted", null);
	}

	private static CompletableFuture<List<Object>> reply(Object result) {
		return (result instanceof Throwable failure) ? CompletableFuture.failedFuture(failure)
				: CompletableFuture.completedFuture(list(result));
	}

	private <T> CompletableFuture<T> send(Object lane, Function<RedisConnection, T> command) {
		CompletableFuture<T> reply = new CompletableFuture<>();
		Runnable task = () -> {
			if (reply.isDone()) {
				return;
			}
			try (RedisConnection redis = this.connectionFactory.getConnection()) {
				reply.complete(applyOrHangUp(redis, command));
			}
			catch (Throwable ex) {
				reply.completeExceptionally(ex);
			}
		};
		this.lanes.run(lane, task);
		reply.whenComplete((value, failure) -> {
			if (reply.isCancelled()) {
				this.lanes.remove(lane, task);
			}
		});
		return reply;
	}

	/** No connection to a server that is no master stays in the pool. */
	private <T> T applyOrHangUp(RedisConnection redis, Function<RedisConnection, T> command) {
		try {
			return command.apply(redis);
		}
		catch (RuntimeException ex) {
			if (explain(ex).isOfNoMaster()) {
				hangUp(redis);
			}
			throw ex;
		}
	}

	@Override
	public CompletableFuture<Boolean> leaveFormerMaster() {
		return this.masterSearch.find();
	}

	/** Each attempt in vain has emptied the pool. */
	private boolean findMaster() {
		for (int i = 0; i < TRIES && !isCluster(); i++) {
			try (RedisConnection redis = this.connectionFactory.getConnection()) {
				applyOrHangUp(redis, (connection) -> list(evaluate(connection, this.probe, false)));
				logger.warn("Redis takes writes on a new connection, but not on the one in use, which is made anew");
				this.onReplaced.run();
				return true;
			}
			catch (RuntimeException ex) {
				if (!explain(ex).isOfNoMaster()) {
					throw ex;
				}
			}
		}
		return false;
	}

	@Override
	public RedisFailure explain(Throwable failure) {
		Throwable cause = RedisErrors.unwrap(failure);
		if (cause instanceof RedisFailure known) {
			return known;
		}
		JedisDataException refusal = RedisErrors.find(cause, JedisDataException.class);
		if (refusal != null) {
			return new RedisFailure(Kind.REFUSED, refusal);
		}
		boolean lost = RedisErrors.find(cause, JedisConnectionException.class) != null
				|| RedisErrors.find(cause, JedisClusterOperationException.class) != null;
		boolean contacted = this.connected != null && !this.connected.isCompletedExceptionally();
		return new RedisFailure((lost && contacted) ? Kind.LOST : Kind.UNREACHABLE, cause);
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
