package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lockstarter.redis.script.ScriptCall;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Client that uses the asynchronous API of Lettuce.
 */
final class LettuceClient implements RedisClient {

	private static final String ONLY_NODE = "";

	private final LettuceFactory factory;

	private final boolean oneOfSeveral;

	private final Runnable onDropped;

	private final LettuceConnections connections;

	private final LettuceReconnectFailures reconnects = new LettuceReconnectFailures();

	private final LettuceFailures failures;

	private final LettuceTopology topology;

	private final LettuceConnections waiting;

	private final LettuceWaits waits;

	private final MasterSearch masterSearch;

	LettuceClient(RedisConnectionFactory connectionFactory, boolean oneOfSeveral, Duration replicaTimeout,
			Executor connector, Runnable onDropped, ScriptCall probe) {
		this.oneOfSeveral = oneOfSeveral;
		this.factory = new LettuceFactory(connectionFactory, replicaTimeout);
		this.onDropped = onDropped;
		this.connections = new LettuceConnections(this.factory, connector,
				(opened) -> this.reconnects.opened(this.factory), this::dropped);
		this.failures = new LettuceFailures(this.factory, this.connections, this.reconnects);
		this.topology = new LettuceTopology(this.factory);
		this.waiting = new LettuceConnections(this.factory, connector);
		this.waits = new LettuceWaits(this.waiting, this.failures::explain);
		this.masterSearch = new MasterSearch(
				new LettuceMasterProbe(this.factory, this.connections, probe, this.waiting::reset)::find, connector);
	}

	private void dropped() {
		this.waiting.reset();
		this.onDropped.run();
	}

	@Override
	public CompletableFuture<?> connect() {
		return this.connections.get();
	}

	@Override
	public boolean isCluster() {
		return this.factory.isCluster();
	}

	@Override
	public CompletableFuture<List<Object>> call(ScriptCall call, boolean byDigest) {
		RedisFailure outage = this.oneOfSeveral ? this.failures.explainOutage() : null;
		if (outage != null) {
			return CompletableFuture.failedFuture(outage);
		}
		LettuceConnection ready = this.connections.ready();
		return (ready != null) ? LettuceScripts.evaluate(ready.link(), call, byDigest)
				: evaluateOnceOpen(new LettuceScripts.Evaluation(call, byDigest));
	}

	private CompletableFuture<List<Object>> evaluateOnceOpen(LettuceScripts.Evaluation evaluation) {
		this.connections.whenOpen((opened) -> {
			try {
				opened.link().dispatch(evaluation);
			}
			catch (RuntimeException ex) {
				// Some of Lettuce's writers throw instead of failing the future.
				evaluation.completeExceptionally(ex);
			}
		}).whenComplete((opened, failure) -> {
			if (failure != null) {
				evaluation.completeExceptionally(failure);
			}
		});
		return evaluation;
	}

	@Override
	public CompletableFuture<?> publish(String channel, String message) {
		return this.connections.get()
			.thenCompose((opened) -> opened.commands().publish(ScriptCall.bytes(channel), ScriptCall.bytes(message)));
	}

	@Override
	public boolean dropsUnresponsive() {
		return true;
	}

	@Override
	public Object nodeOf(String key) {
		RedisClusterNode node = (this.connections.link() instanceof StatefulRedisClusterConnection<?, ?> cluster)
				? cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key)) : null;
		return (node != null) ? node.getNodeId() : ONLY_NODE;
	}

	@Override
	public CompletableFuture<List<Integer>> slots() {
		if (!(this.connections.link() instanceof StatefulRedisClusterConnection<?, ?> cluster)) {
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
	public CompletableFuture<Acknowledged> callAndWait(List<WaitCall> calls, int replicas, Duration timeout) {
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
	public RedisFailure explainTimeout() {
		return this.failures.explainTimeout();
	}

	@Override
	public void refreshTopology() {
		if (isCluster()) {
			this.topology.refresh();
		}
	}

	@Override
	public CompletableFuture<Boolean> dropDemotedMaster() {
		return this.masterSearch.find();
	}

	/** Does nothing: a thread that subscribes by Lettuce returns at once. */
	@Override
	public void unsubscribe(RedisConnection connection, boolean dropped) {
	}

	@Override
	public RedisConnection openSeparate() {
		return this.factory.openSeparate();
	}

	@Override
	public void release(RedisConnection connection, boolean dropped) {
		connection.close();
	}

	@Override
	public void disconnect() {
		this.connections.abandon();
		this.waiting.abandon();
		this.factory.stop();
		// One that was opened meanwhile may have been closed without notice.
		this.connections.reset();
		this.waiting.reset();
	}

	@Override
	public void close() {
		this.reconnects.close();
		this.connections.abandon();
		this.waiting.abandon();
		this.factory.close();
	}

}
