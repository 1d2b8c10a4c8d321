package io.lockstarter.redis.quorum;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.quorum.Majority.Result;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * All servers of a quorum.
 * <p>
 * Safe for use by multiple threads.
 */
final class QuorumServers implements AutoCloseable {

	private static final CompletableFuture<Object> CONNECTED = CompletableFuture.completedFuture("connected");

	/** Time between two checks of which servers vote: 5 s. */
	private static final long JOIN_MILLIS = 5000;

	private final List<QuorumServer> servers;

	private final Timer timer = new Timer("lock-quorum");

	private volatile Timer.@Nullable Task joining;

	private volatile boolean closed;

	QuorumServers(List<? extends QuorumNode> nodes) {
		this.servers = nodes.stream().map((node) -> new QuorumServer(node, this.timer)).toList();
		joinLater();
	}

	/** Returns the servers, always in the same order. */
	List<QuorumServer> all() {
		return this.servers;
	}

	QuorumServer get(int index) {
		return this.servers.get(index);
	}

	int size() {
		return this.servers.size();
	}

	/** Returns whether a condition holds for a majority. */
	boolean isMajority(Predicate<QuorumNode> condition) {
		return this.servers.stream().filter((server) -> condition.test(server.node())).count() >= Majority.of(size());
	}

	/** Returns the indexes of the servers that are currently unresponsive. */
	BitSet unresponsive() {
		BitSet unresponsive = new BitSet();
		for (int i = 0; i < size(); i++) {
			unresponsive.set(i, this.servers.get(i).isUnresponsive());
		}
		return unresponsive;
	}

	/** Returns the median time of the servers, in microseconds. */
	long micros() {
		return ServerClock.micros(this.servers.stream().map((server) -> server.node().clock()).toList());
	}

	/** Returns a future that completes once a majority is connected. */
	CompletableFuture<?> connect() {
		if (isMajority(QuorumNode::isConnected)) {
			return CONNECTED;
		}
		CompletableFuture<Object> connected = new CompletableFuture<>();
		Majority majority = new Majority(size());
		for (QuorumServer server : this.servers) {
			server.node().connect().whenComplete((connection, failure) -> {
				Result result = (failure == null) ? majority.yes() : majority.no();
				if (result == Result.YES) {
					connected.complete(connection);
				}
				else if (result == Result.NO && failure != null) {
					connected.completeExceptionally(RedisErrors.translate(LockBackendException.NO_LOCK, failure));
				}
			});
		}
		return connected;
	}

	private void joinLater() {
		if (this.closed) {
			return;
		}
		this.joining = this.timer.in(TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS), () -> {
			try {
				join();
			}
			finally {
				joinLater();
			}
		});
	}

	/**
	 * Admits servers to votes that were restarted without data, even without any lock
	 * request.
	 */
	private void join() {
		this.servers.forEach(QuorumServer::resumeReleases);
		if (this.servers.stream().anyMatch((server) -> server.node().isConnected())) {
			this.servers.stream().filter((server) -> !server.node().isMember()).forEach(QuorumServer::join);
		}
	}

	/**
	 * Sends a command to all servers, with the timeout after which a server counts as
	 * unresponsive.
	 */
	<T> QuorumCall send(String name, Function<QuorumNode, CompletableFuture<T>> command,
			QuorumCall.Listener<T> listener) {
		return send(name, ServerHealth.TIMEOUT_MILLIS, command, listener);
	}

	/**
	 * Sends a command to all servers.
	 * @param name the name of the lock
	 * @param timeoutMillis the timeout of each server in milliseconds
	 * @param listener is notified once of each server's reply, by different threads
	 */
	<T> QuorumCall send(String name, long timeoutMillis, Function<QuorumNode, CompletableFuture<T>> command,
			QuorumCall.Listener<T> listener) {
		return QuorumCall.send(name, this.servers, timeoutMillis, this.timer, command, listener);
	}

	/** Returns the number of unconfirmed releases. */
	int unconfirmed() {
		return this.servers.stream().mapToInt(QuorumServer::unconfirmed).sum();
	}

	@Override
	public void close() {
		this.closed = true;
		Timer.Task joining = this.joining;
		if (joining != null) {
			joining.cancel();
		}
		this.timer.close();
		this.servers.forEach(QuorumServer::close);
	}

}
