package io.lockstarter.redis.quorum;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.quorum.Majority.Result;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a quorum, all together.
 */
final class QuorumServers implements AutoCloseable {

	private static final CompletableFuture<Object> CONNECTED = CompletableFuture.completedFuture("connected");

	private static final long JOIN_MILLIS = 5000;

	private final List<QuorumServer> servers;

	private final Timer timer = new Timer("lock-quorum");

	private volatile Timer.@Nullable Task joining;

	private volatile boolean closed;

	QuorumServers(List<? extends QuorumNode> nodes) {
		this.servers = nodes.stream().map((node) -> new QuorumServer(node, this.timer)).toList();
		joinLater();
	}

	/** The servers, in the same order all the time. */
	List<QuorumServer> all() {
		return this.servers;
	}

	QuorumServer get(int place) {
		return this.servers.get(place);
	}

	int size() {
		return this.servers.size();
	}

	/** Whether something holds for a majority of them. */
	boolean most(Predicate<QuorumNode> condition) {
		return this.servers.stream().filter((server) -> condition.test(server.node())).count() >= Majority.of(size());
	}

	/** Those that do not answer at the moment, by their places. */
	BitSet silent() {
		BitSet silent = new BitSet();
		for (int i = 0; i < size(); i++) {
			silent.set(i, this.servers.get(i).isSilent());
		}
		return silent;
	}

	/** The time by most of their clocks, in microseconds. */
	long micros() {
		return ServerClock.micros(this.servers.stream().map((server) -> server.node().clock()).toList());
	}

	/** Completes when a majority is connected, at once if it is already. */
	CompletableFuture<?> connect() {
		if (most(QuorumNode::isConnected)) {
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
	 * Lets servers vote soon that were restarted empty, even if nobody requests a lock
	 * from them.
	 */
	private void join() {
		this.servers.forEach(QuorumServer::endOwed);
		if (this.servers.stream().anyMatch((server) -> server.node().isConnected())) {
			this.servers.stream().filter((server) -> !server.node().isMember()).forEach(QuorumServer::join);
		}
	}

	/**
	 * Send a command to all.
	 * @param name the lock's name
	 * @param timeoutMillis how long to wait for each server
	 * @param listener is told each server's answer, once, from different threads
	 */
	<T> Broadcast send(String name, long timeoutMillis, Function<QuorumNode, CompletableFuture<T>> command,
			Broadcast.Listener<T> listener) {
		return Broadcast.send(name, this.servers, timeoutMillis, this.timer, command, listener);
	}

	/** Send a command to one, and give it up after some time. */
	<T> CompletableFuture<T> ask(long timeoutMillis, Supplier<CompletableFuture<T>> command) {
		return TimedCall.send(timeoutMillis, this.timer, command);
	}

	/** How many tenures are still to be ended at some of them. */
	int owed() {
		return this.servers.stream().mapToInt(QuorumServer::owed).sum();
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
