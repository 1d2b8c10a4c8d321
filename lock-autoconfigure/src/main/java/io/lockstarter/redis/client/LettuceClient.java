package io.lockstarter.redis.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import io.lockstarter.redis.client.RedisFailure.Kind;
import io.lockstarter.redis.script.ScriptCall;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

/**
 * Lettuce, over its asynchronous interface and the connection that Spring Data shares.
 * Where that comes from a pool and Sentinels name the master, it is one of the locks' own
 * instead: a pool gives out the same one again, even if it leads to a former master.
 * <p>
 * Spring Data connects on first use and blocks meanwhile, so that step runs on an
 * executor; from then on Lettuce itself reconnects, to each node of a cluster on its own
 * and without blocking, and commands go straight to it. A connection that was closed for
 * good, because its factory was restarted, is replaced, and so is one that broke where
 * Lettuce is told not to reconnect.
 */
public final class LettuceClient implements RedisClient {

	private static final Log logger = LogFactory.getLog(LettuceClient.class);

	private static final String ONLY_NODE = "";

	private static final Duration LONGEST_PROBE = Duration.ofSeconds(1);

	private final RedisConnectionFactory connectionFactory;

	private final Executor connector;

	private final Runnable onReplaced;

	private final LettuceTopology topology;

	private final SentinelCheck sentinels;

	private final SilenceCheck silence;

	private final LettuceWaits waits;

	private final MasterSearch masterSearch;

	private final ScriptCall probe;

	private volatile boolean cluster;

	private volatile @Nullable CompletableFuture<Connection> connection;

	LettuceClient(RedisConnectionFactory connectionFactory, Executor connector, Runnable onReplaced, ScriptCall probe) {
		this.connectionFactory = connectionFactory;
		this.connector = connector;
		this.onReplaced = onReplaced;
		this.topology = new LettuceTopology(connectionFactory);
		this.sentinels = new SentinelCheck(connectionFactory, connector, this::leave);
		this.silence = new SilenceCheck(connectionFactory, this::leave);
		this.waits = new LettuceWaits(connectionFactory, connector);
		this.masterSearch = new MasterSearch(this::findMaster, connector);
		this.probe = probe;
		this.cluster = !(connectionFactory instanceof LettuceConnectionFactory factory) || factory.isClusterAware();
	}

	@Override
	public CompletableFuture<?> connect() {
		return connection();
	}

	/**
	 * As configured: a command may be made while there is no connection, and sent when
	 * there is. A factory of another kind shows what it leads to when it has connected,
	 * and until then the messages of a cluster are the safe assumption.
	 */
	@Override
	public boolean isCluster() {
		return this.cluster;
	}

	private boolean isConnectedToCluster() {
		return connected() instanceof StatefulRedisClusterConnection;
	}

	/** What is inside the connection, if there is one. */
	private @Nullable StatefulConnection<?, ?> connected() {
		CompletableFuture<Connection> current = this.connection;
		return (current != null && isReady(current)) ? current.join().inside() : null;
	}

	@Override
	public CompletableFuture<List<Object>> call(ScriptCall call, boolean byDigest) {
		return send((redis) -> LettuceScripts.evaluate(redis, call, byDigest));
	}

	@Override
	public boolean leavesSilence() {
		return true;
	}

	private <T> CompletableFuture<T> send(
			Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> command) {
		CompletableFuture<Connection> current = connection();
		return isReady(current) ? command.apply(current.join().commands).toCompletableFuture()
				: current.thenCompose((opened) -> command.apply(opened.commands));
	}

	@Override
	public Object nodeOf(String key) {
		RedisClusterNode node = (connected() instanceof StatefulRedisClusterConnection<?, ?> cluster)
				? cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key)) : null;
		return (node != null) ? node.getNodeId() : ONLY_NODE;
	}

	@Override
	public CompletableFuture<List<Integer>> slots() {
		if (!(connected() instanceof StatefulRedisClusterConnection<?, ?> cluster)) {
			return CompletableFuture.completedFuture(List.of(0));
		}
		return CompletableFuture.completedFuture(cluster.getPartitions()
			.stream()
			.filter((node) -> node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.hasNoSlots())
			.map((node) -> node.getSlots().get(0))
			.sorted()
			.toList());
	}

	@Override
	public CompletableFuture<Acknowledged> callAndWait(List<Once> calls, int replicas, Duration timeout) {
		// That has connections of its own, and would not notice.
		replaceClosed();
		return this.waits.callAndWait(calls, replicas, timeout);
	}

	@Override
	public RedisFailure explain(Throwable failure) {
		Throwable cause = RedisErrors.unwrap(failure);
		if (cause instanceof RedisFailure known) {
			return known;
		}
		RedisCommandExecutionException refusal = RedisErrors.find(cause, RedisCommandExecutionException.class);
		if (refusal != null) {
			return new RedisFailure(Kind.REFUSED, refusal);
		}
		if (cause instanceof PartitionSelectorException) {
			return new RedisFailure(Kind.REFUSED, "CLUSTERDOWN No known node serves the slot", cause);
		}
		if (RedisErrors.find(cause, RedisCommandTimeoutException.class) != null) {
			return new RedisFailure(Kind.TIMEOUT, cause);
		}
		return new RedisFailure(isLost(cause) ? Kind.LOST : Kind.UNREACHABLE, cause);
	}

	private boolean isLost(Throwable cause) {
		if (cause instanceof IOException || cause instanceof CancellationException) {
			// The connection broke, and Lettuce is just about to notice, or closed it.
			return true;
		}
		if (isStopped()) {
			// What was open is closed, and nothing can be opened.
			return false;
		}
		if (replaceClosed()) {
			return true;
		}
		String message = String.valueOf(cause.getMessage());
		if (message.contains("Connection is closed") || (!reconnects() && message.contains("not connected"))) {
			// It has been replaced meanwhile.
			return true;
		}
		// The node may be down, and another one take its place.
		return isConnectedToCluster() && cause instanceof RedisConnectionException;
	}

	@Override
	public void checkConnection() {
		if (isConnectedToCluster()) {
			this.topology.refresh();
		}
		else {
			this.sentinels.check();
			this.silence.check();
		}
	}

	@Override
	public CompletableFuture<Boolean> leaveFormerMaster() {
		return this.masterSearch.find();
	}

	private boolean findMaster() {
		CompletableFuture<Connection> current = this.connection;
		if (current == null || !isReady(current)) {
			return true;
		}
		if (takesWrites(current.join().commands)) {
			// So it is others that lead to a former master, or it has been left.
			this.waits.reset();
			return true;
		}
		if (!(this.connectionFactory instanceof LettuceConnectionFactory factory) || isConnectedToCluster()) {
			return false;
		}
		try (StatefulRedisConnection<byte[], byte[]> other = openNew(factory)) {
			if (!takesWrites((RedisClusterAsyncCommands<byte[], byte[]>) other.async())) {
				return false;
			}
		}
		if (this.connection == current) {
			logger.warn("Redis takes writes on a new connection, but not on the one in use, which is made anew");
			leave();
		}
		return true;
	}

	private boolean takesWrites(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		try {
			LettuceScripts.evaluate(redis, this.probe, false)
				.toCompletableFuture()
				.get(LONGEST_PROBE.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.debug("The server takes no writes", ex);
			return false;
		}
	}

	/**
	 * Where there is a pool, the server is asked to close the connection. Lettuce opens
	 * it anew then, and the pool may go on to use it.
	 */
	@Override
	public void hangUp(RedisConnection subscription) {
		if (this.connectionFactory instanceof LettuceConnectionFactory factory && isPooled(factory)
				&& subscription.isSubscribed()
				&& subscription.getNativeConnection() instanceof RedisPubSubAsyncCommands<?, ?> messages) {
			messages.quit();
		}
	}

	private CompletableFuture<Connection> connection() {
		CompletableFuture<Connection> current = this.connection;
		return (current != null && !current.isCompletedExceptionally()) ? current : newConnection();
	}

	private synchronized CompletableFuture<Connection> newConnection() {
		CompletableFuture<Connection> current = this.connection;
		if (current == null || current.isCompletedExceptionally()) {
			try {
				current = CompletableFuture.supplyAsync(this::open, this.connector);
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				current = CompletableFuture.failedFuture(ex);
			}
			this.connection = current;
		}
		return current;
	}

	private Connection open() {
		Connection opened = (this.connectionFactory instanceof LettuceConnectionFactory factory && isPooled(factory)
				&& factory.isRedisSentinelAware()) ? openOwn(factory) : openShared();
		this.sentinels.opened(opened.inside());
		this.silence.opened(opened.inside());
		return opened;
	}

	private static StatefulRedisConnection<byte[], byte[]> openNew(LettuceConnectionFactory factory) {
		io.lettuce.core.RedisClient client = (io.lettuce.core.RedisClient) factory.getRequiredNativeClient();
		return client.connect(ByteArrayCodec.INSTANCE);
	}

	private static Connection openOwn(LettuceConnectionFactory factory) {
		StatefulRedisConnection<byte[], byte[]> opened = openNew(factory);
		return new Connection(opened, (RedisClusterAsyncCommands<byte[], byte[]>) opened.async());
	}

	@SuppressWarnings("unchecked")
	private Connection openShared() {
		RedisConnection opened = this.connectionFactory.getConnection();
		if (opened.getNativeConnection() instanceof RedisClusterAsyncCommands<?, ?> commands) {
			Connection connected = new Connection(opened, (RedisClusterAsyncCommands<byte[], byte[]>) commands);
			if (!(this.connectionFactory instanceof LettuceConnectionFactory)) {
				this.cluster = connected.inside() instanceof StatefulRedisClusterConnection;
			}
			return connected;
		}
		opened.close();
		throw new IllegalStateException(
				("Locks need Lettuce or Jedis as Redis client, but the connection factory is a %s: define one of these,"
						+ " for the locks alone under the name distributedLockConnectionFactory")
					.formatted(this.connectionFactory.getClass().getName()));
	}

	/**
	 * Replace what was closed because its factory was stopped, and started again, or what
	 * has broken for good.
	 */
	private boolean replaceClosed() {
		StatefulConnection<?, ?> current = connected();
		if (current instanceof RedisChannelHandler<?, ?> handler && handler.isClosed()) {
			if (!isStopped()) {
				replace();
			}
			return true;
		}
		if (current == null || current.isOpen() || reconnects()) {
			return false;
		}
		leave();
		return true;
	}

	/** Whether Lettuce does, or a pool would give out the broken connection again. */
	private boolean reconnects() {
		return !(this.connectionFactory instanceof LettuceConnectionFactory factory) || factory.isClusterAware()
				|| isFromPool(factory)
				|| factory.getClientConfiguration().getClientOptions().map(ClientOptions::isAutoReconnect).orElse(true);
	}

	@Override
	public boolean isStopped() {
		return this.connectionFactory instanceof LettuceConnectionFactory factory && !factory.isRunning();
	}

	/**
	 * Close a connection that hangs, is broken, or leads to a former master. It is mostly
	 * the one that the application shares, for which it is just as useless. A pool would
	 * give out the same one again, so the server is asked to close that, and Lettuce
	 * opens it anew.
	 */
	private void leave() {
		if (this.connectionFactory instanceof LettuceConnectionFactory factory) {
			if (!isPooled(factory)) {
				factory.resetConnection();
			}
			else if (isFromPool(factory) && connected() instanceof StatefulRedisConnection<?, ?> pooled) {
				pooled.async().quit();
			}
		}
		replace();
	}

	private void replace() {
		release();
		this.waits.reset();
		this.onReplaced.run();
	}

	@Override
	public void close() {
		release();
		this.waits.close();
	}

	private void release() {
		CompletableFuture<Connection> current;
		synchronized (this) {
			current = this.connection;
			this.connection = null;
		}
		if (current != null && isReady(current)) {
			try {
				current.join().source.close();
			}
			catch (Exception ex) {
				logger.debug("Giving the connection back failed", ex);
			}
		}
	}

	/** Whether a pool gives out the connection that commands are sent over. */
	static boolean isFromPool(LettuceConnectionFactory factory) {
		return isPooled(factory) && !factory.isRedisSentinelAware();
	}

	private static boolean isPooled(LettuceConnectionFactory factory) {
		return factory.getClientConfiguration() instanceof LettucePoolingClientConfiguration;
	}

	private static boolean isReady(CompletableFuture<?> connection) {
		return connection.isDone() && !connection.isCompletedExceptionally();
	}

	/**
	 * A connection, mostly one of Spring Data, with what is inside.
	 */
	private record Connection(AutoCloseable source, RedisClusterAsyncCommands<byte[], byte[]> commands) {

		@Nullable StatefulConnection<?, ?> inside() {
			return (this.commands instanceof AbstractRedisAsyncCommands<?, ?> known) ? known.getConnection() : null;
		}

	}

}
