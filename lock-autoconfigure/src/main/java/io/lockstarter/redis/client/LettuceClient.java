package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lockstarter.redis.script.ScriptCall;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Lettuce, over its asynchronous interface.
 */
final class LettuceClient implements RedisClient {

	private static final String ONLY_NODE = "";

	private final LettuceFactory factory;

	private final boolean oneOfSeveral;

	private final Runnable onReplaced;

	private final LettuceConnections connections;

	private final LettuceReconnects reconnects = new LettuceReconnects();

	private final LettuceFailures failures;

	private final LettuceTopology topology;

	private final SentinelCheck sentinels;

	private final SilenceCheck silence;

	private final LettuceWaits waits;

	private final MasterSearch masterSearch;

	LettuceClient(RedisConnectionFactory connectionFactory, boolean oneOfSeveral, Executor connector,
			Runnable onReplaced, ScriptCall probe) {
		this.oneOfSeveral = oneOfSeveral;
		this.factory = new LettuceFactory(connectionFactory);
		this.onReplaced = onReplaced;
		this.connections = new LettuceConnections(this.factory, connector, this::opened, this::replaced);
		this.failures = new LettuceFailures(this.factory, this.connections, this.reconnects);
		this.topology = new LettuceTopology(connectionFactory);
		this.sentinels = new SentinelCheck(this.factory, connector, this.connections::leave);
		this.silence = new SilenceCheck(this.factory, this.connections::leave);
		this.waits = new LettuceWaits(connectionFactory, connector);
		this.masterSearch = new MasterSearch(
				new LettuceMasterProbe(this.factory, this.connections, probe, this.waits::reset)::find, connector);
	}

	private void opened(LettuceConnection connection) {
		this.reconnects.opened(this.factory);
		this.sentinels.opened(connection.inside());
		this.silence.opened(connection.inside());
	}

	private void replaced() {
		this.waits.reset();
		this.onReplaced.run();
	}

	@Override
	public CompletableFuture<?> connect() {
		return this.connections.get();
	}

	/**
	 * As configured: a command may be made while there is no connection, and sent when
	 * there is.
	 */
	@Override
	public boolean isCluster() {
		return this.connections.isCluster();
	}

	@Override
	public CompletableFuture<List<Object>> call(ScriptCall call, boolean byDigest) {
		RedisFailure outage = this.oneOfSeveral ? this.failures.explainOutage() : null;
		if (outage != null) {
			return CompletableFuture.failedFuture(outage);
		}
		LettuceConnection ready = this.connections.ready();
		return (ready != null) ? evaluate(ready, call, byDigest).toCompletableFuture()
				: this.connections.get().thenCompose((opened) -> evaluate(opened, call, byDigest));
	}

	private CompletionStage<List<Object>> evaluate(LettuceConnection connection, ScriptCall call, boolean byDigest) {
		return LettuceScripts.evaluate(connection.commands(), call, byDigest, this.silence::replied);
	}

	@Override
	public CompletableFuture<?> publish(String channel, String message) {
		return this.connections.get()
			.thenCompose((opened) -> opened.commands().publish(ScriptCall.bytes(channel), ScriptCall.bytes(message)));
	}

	@Override
	public boolean leavesSilence() {
		return true;
	}

	@Override
	public Object nodeOf(String key) {
		RedisClusterNode node = (this.connections.inside() instanceof StatefulRedisClusterConnection<?, ?> cluster)
				? cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key)) : null;
		return (node != null) ? node.getNodeId() : ONLY_NODE;
	}

	@Override
	public CompletableFuture<List<Integer>> slots() {
		if (!(this.connections.inside() instanceof StatefulRedisClusterConnection<?, ?> cluster)) {
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
		this.connections.replaceClosed();
		return this.waits.callAndWait(calls, replicas, timeout);
	}

	@Override
	public RedisFailure explain(Throwable failure) {
		return this.failures.explain(failure);
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
	public RedisFailure explainSilence() {
		return this.failures.explainSilence();
	}

	@Override
	public void checkConnection() {
		if (this.connections.isConnectedToCluster()) {
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

	/** The thread that subscribes returns by itself. */
	@Override
	public void unsubscribe(RedisConnection connection, boolean left) {
	}

	@Override
	public RedisConnection openForMessages() {
		return this.factory.openForMessages();
	}

	@Override
	public void giveBack(RedisConnection connection, boolean left) {
		connection.close();
	}

	@Override
	public boolean isStopped() {
		return this.factory.isStopped();
	}

	@Override
	public void close() {
		this.reconnects.close();
		this.connections.close();
		this.waits.close();
	}

}
