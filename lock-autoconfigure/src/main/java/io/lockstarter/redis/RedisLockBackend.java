package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.client.ClientFactory;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisClient;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.replication.ReplicaWait;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.Replies;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;
import io.lockstarter.redis.wake.WakeSubscription;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks in one Redis.
 */
public final class RedisLockBackend implements LockBackend {

	private static final int RENEWALS_A_CALL = 100;

	private final Supplier<String> clientId;

	private final LockKeys keys;

	private final LockScripts calls;

	private final Replies replies;

	private final ThreadPoolExecutor connector;

	private final CommandSender redis;

	private final Replication replication;

	private final ReplicaWait replicas;

	private final WakeSubscription wakes;

	private volatile boolean sharded;

	/**
	 * Keep locks in the Redis that a connection factory leads to. Connects on first use.
	 * @param connectionFactory the factory, which uses Lettuce or Jedis
	 * @param keyPrefix the first part of every key
	 * @param fencingRetention for how long the last fencing token and the marks that
	 * recognise late commands outlive a lock
	 */
	public RedisLockBackend(RedisConnectionFactory connectionFactory, String keyPrefix, Duration fencingRetention) {
		this(connectionFactory, keyPrefix, fencingRetention, Replication.NONE);
	}

	/**
	 * Keep locks in the Redis that a connection factory leads to, and in some of its
	 * replicas. Connects on first use.
	 * @param connectionFactory the factory, which uses Lettuce or Jedis
	 * @param keyPrefix the first part of every key
	 * @param fencingRetention for how long the last fencing token and the marks that
	 * recognise late commands outlive a lock
	 * @param replication what replicas must acknowledge before a lock is granted
	 */
	public RedisLockBackend(RedisConnectionFactory connectionFactory, String keyPrefix, Duration fencingRetention,
			Replication replication) {
		this(connectionFactory, keyPrefix, fencingRetention, replication, new ClientId());
	}

	/** Keep locks for a client that other servers know by the same id. */
	public RedisLockBackend(RedisConnectionFactory connectionFactory, String keyPrefix, Duration fencingRetention,
			Replication replication, Supplier<String> clientId) {
		this.clientId = clientId;
		this.keys = new LockKeys(keyPrefix, this.clientId);
		this.replies = new Replies(this.keys);
		this.calls = new LockScripts(this.keys, this.clientId, fencingRetention, !replication.isOn(), this::isDeaf);
		this.connector = new ThreadPoolExecutor(2, 2, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				LockThreads.daemons("lock-connect"));
		this.connector.allowCoreThreadTimeOut(true);
		this.replication = replication;
		RedisClient client = ClientFactory.create(connectionFactory, replication.isOn(), this.connector,
				this::connectionReplaced, this.calls.probe());
		this.redis = new CommandSender(client);
		this.replicas = new ReplicaWait(client, this.redis, replication);
		this.wakes = new WakeSubscription(connectionFactory, this.keys, this.clientId, this.redis);
	}

	@Override
	public String clientId() {
		return this.clientId.get();
	}

	@Override
	public void listen(WakeListener listener) {
		this.wakes.listen(listener);
	}

	private boolean isDeaf() {
		return this.wakes.isDeaf();
	}

	private void connectionReplaced() {
		this.wakes.reopen();
	}

	@Override
	public boolean isListening() {
		return this.wakes.isListening();
	}

	/** Each node has a connection, or a thread, but replicas are waited for elsewhere. */
	@Override
	public boolean keepsOrder() {
		return !this.replication.isOn();
	}

	@Override
	public CompletableFuture<?> connect() {
		CompletableFuture<?> connected = this.redis.connect();
		if (connected.isDone() && !connected.isCompletedExceptionally()) {
			return connected;
		}
		return connected.handle((connection, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(LockBackendException.NO_LOCK, failure);
			}
			return connection;
		});
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		ScriptCall call = this.calls.acquire(command);
		if (this.replication.isOn()) {
			return answer(command.name(), this.replicas.run(call), (reply) -> replicated(command, reply));
		}
		return run(command.name(), call, (reply) -> acquisition(command, reply));
	}

	/** Ask one of several servers for a lock. */
	public <T> CompletableFuture<T> propose(Acquire command, String marker, long base, String reach, boolean raise,
			Function<Reply, T> parser) {
		return run(command.name(), this.calls.propose(command, marker, base, reach, raise), parser);
	}

	private AcquireReply replicated(Acquire command, ReplicaWait.Reply reply) {
		AcquireReply acquisition = acquisition(command, new Reply(reply.values()));
		if (acquisition instanceof Granted && reply.replicas() < this.replication.minReplicas()) {
			throw new LockBackendException(command.name(), Reason.NOT_REPLICATED,
					"%d of the %d replicas asked for acknowledged it within %s".formatted(reply.replicas(),
							this.replication.minReplicas(), this.replication.timeout()),
					null);
		}
		return acquisition;
	}

	/**
	 * The answer to a question. Whoever is to wait for messages gets them from now on.
	 */
	public AcquireReply acquisition(Acquire command, Reply reply) {
		AcquireReply answer = this.replies.acquisition(command, reply);
		Waiting waiting = command.waiting();
		if (answer instanceof Refused && waiting != null) {
			this.wakes.ensureOpen();
			if (waiting.position().isPresent()) {
				this.wakes.suspect();
			}
		}
		return answer;
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		return end(command.name(), this.calls.release(command, this.redis.isCluster()));
	}

	/**
	 * End a tenure and nothing more: this client asks again, and nobody need be woken.
	 */
	public CompletableFuture<Release.Reply> cancel(String name, TenureId tenure) {
		return end(name, this.calls.cancel(name, tenure));
	}

	private CompletableFuture<Release.Reply> end(String name, ScriptCall call) {
		return run(name, call, (values) -> {
			Release.Reply reply = this.replies.release(values);
			if (reply.position().isPresent()) {
				// It has yielded, perhaps without ever having been refused.
				this.wakes.ensureOpen();
			}
			return reply;
		});
	}

	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return run(name, this.calls.curtail(name, tenure, rest), (reply) -> reply.number(0) == 1);
	}

	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
		return run(name, this.calls.occupancy(name), (reply) -> this.replies.holders(name, reply));
	}

	@Override
	public CompletableFuture<Page> names(String from, int size) {
		LockScan.Position position = LockScan.Position.of(from);
		return connect().thenCompose((connected) -> this.redis.slots()).thenCompose((slots) -> {
			List<String> nodes = slots.stream().map(this.keys::anyOf).toList();
			return new LockScan(nodes, this::scan, this.keys, size).from(position);
		});
	}

	private CompletableFuture<Reply> scan(String node, String cursor) {
		return run(LockBackendException.NO_LOCK, this.calls.scan(node, cursor), Function.identity())
			.exceptionallyCompose((failure) -> {
				boolean refused = failure instanceof LockBackendException known
						&& known.reason() == Reason.NOT_AUTHORIZED;
				return CompletableFuture
					.failedFuture(!refused ? failure : new LockBackendException(LockBackendException.NO_LOCK,
							Reason.NOT_AUTHORIZED, "the Redis user may not list keys; allow it +scan", failure));
			});
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		// Who holds a lock for long, or hands it on, is told by a message that others
		// wait.
		this.wakes.suspect();
		int size = (this.redis.isCluster() || this.sharded) ? 1 : RENEWALS_A_CALL;
		List<CompletableFuture<RenewalReply>> verdicts = new ArrayList<>(commands.size());
		for (int i = 0; i < commands.size(); i += size) {
			verdicts.addAll(renewTogether(commands.subList(i, Math.min(i + size, commands.size()))));
		}
		return verdicts;
	}

	private List<CompletableFuture<RenewalReply>> renewTogether(List<Renew> commands) {
		CompletableFuture<Reply> reply = run(commands.get(0).name(), this.calls.renew(commands), Function.identity());
		List<CompletableFuture<RenewalReply>> verdicts = new ArrayList<>(commands.size());
		for (int i = 0; i < commands.size(); i++) {
			int index = i;
			CompletableFuture<RenewalReply> verdict = reply.thenApply((all) -> this.replies.renewal(all, index));
			withdrawWith(verdict, reply);
			verdicts.add(verdict);
		}
		reply.whenComplete((all, failure) -> {
			if (failure instanceof LockBackendException refusal && refusal.detail().startsWith("CROSSSLOT")) {
				// A proxy in front of several shards: from now on one lock a call.
				this.sharded = true;
			}
		});
		return verdicts;
	}

	/** Put a tenure back that this server has forgotten, one of several. */
	public <T> CompletableFuture<T> putBack(Renew command, Terms terms, String marker, String reach,
			Function<Reply, T> parser) {
		return run(command.name(), this.calls.putBack(command, terms, marker, reach), parser);
	}

	/**
	 * A message to the own channel shows by its coming whether the subscription is there.
	 * A replica would pass it on as well, so it is seen first whether Redis takes writes.
	 */
	@Override
	public CompletableFuture<Map<String, Object>> probe() {
		return this.redis.run(this.calls.probe())
			.thenCombine(this.wakes.look(), (writes, state) -> state)
			.handle((state, failure) -> {
				if (failure != null) {
					throw RedisErrors.translate(LockBackendException.NO_LOCK, failure);
				}
				Map<String, Object> details = new LinkedHashMap<>();
				details.put("clientId", this.clientId.get());
				details.put("subscription", state.subscription());
				details.put("messages", state.messages());
				return details;
			});
	}

	public <T> CompletableFuture<T> run(String name, ScriptCall call, Function<Reply, T> parser) {
		return answer(name, this.redis.run(call), (values) -> parser.apply(new Reply(values)));
	}

	private static <R, T> CompletableFuture<T> answer(String name, CompletableFuture<R> sent, Function<R, T> parser) {
		CompletableFuture<T> result = new CompletableFuture<>();
		sent.whenComplete((reply, failure) -> {
			try {
				if (failure != null) {
					throw RedisErrors.translate(name, failure);
				}
				result.complete(parser.apply(reply));
			}
			catch (RuntimeException ex) {
				result.completeExceptionally(ex);
			}
		});
		withdrawWith(result, sent);
		return result;
	}

	private static void withdrawWith(CompletableFuture<?> result, CompletableFuture<?> sent) {
		result.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				sent.cancel(false);
			}
		});
	}

	@Override
	public void close() {
		this.wakes.close();
		this.redis.close();
		this.connector.shutdown();
	}

}
