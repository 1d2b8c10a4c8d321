package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.client.ClientFactory;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.ConnectingThreads;
import io.lockstarter.redis.client.RedisClient;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.replication.ReplicaWait;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.Replies;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;
import io.lockstarter.redis.wake.RedisClientMessages;
import io.lockstarter.redis.wake.WakeSubscription;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Backend that keeps locks in one Redis: a single server, a master with Sentinels, or a
 * cluster.
 * <p>
 * Safe for use by multiple threads.
 */
public final class RedisLockBackend implements LockBackend {

	private final Supplier<String> clientId;

	private volatile boolean identified;

	private final LockKeys keys;

	private final LockScripts scripts;

	private final Replies replies;

	private final ConnectingThreads threads = new ConnectingThreads();

	private final ExecutorService connector = this.threads.executor();

	private final CommandSender redis;

	private final RenewalSender renewals;

	private final Replication replication;

	private final ReplicaWait replicas;

	private final WakeSubscription wakes;

	private final ClientMessages messages;

	/**
	 * Creates a backend that connects on first use.
	 * @param connectionFactory the application's factory, which uses Lettuce or Jedis;
	 * only its settings are used, for connections of the locks' own
	 * @param keyPrefix the first part of every key
	 * @param fencingRetention the retention of the tombstones by which late commands are
	 * recognized
	 */
	public RedisLockBackend(RedisConnectionFactory connectionFactory, String keyPrefix, Duration fencingRetention) {
		this(connectionFactory, keyPrefix, fencingRetention, Replication.NONE);
	}

	/**
	 * Creates a backend that connects on first use, and that waits for replicas.
	 * @param connectionFactory the application's factory, which uses Lettuce or Jedis;
	 * only its settings are used, for connections of the locks' own
	 * @param keyPrefix the first part of every key
	 * @param fencingRetention the retention of the tombstones by which late commands are
	 * recognized
	 * @param replication the replicas that must acknowledge a lock before it is granted
	 */
	public RedisLockBackend(RedisConnectionFactory connectionFactory, String keyPrefix, Duration fencingRetention,
			Replication replication) {
		this(connectionFactory, keyPrefix, fencingRetention, replication, new ClientId());
	}

	RedisLockBackend(RedisConnectionFactory connectionFactory, String keyPrefix, Duration fencingRetention,
			Replication replication, Supplier<String> clientId) {
		this(connectionFactory, new LockKeys(keyPrefix, clientId), false, fencingRetention, replication, clientId);
	}

	/**
	 * Creates a backend for one server of a quorum. All servers know the client by one
	 * id.
	 */
	public static RedisLockBackend ofQuorum(RedisConnectionFactory connectionFactory, String keyPrefix,
			Duration fencingRetention, Supplier<String> clientId) {
		return new RedisLockBackend(connectionFactory, new LockKeys(keyPrefix, clientId, true), true, fencingRetention,
				Replication.NONE, clientId);
	}

	private RedisLockBackend(RedisConnectionFactory connectionFactory, LockKeys keys, boolean oneOfSeveral,
			Duration fencingRetention, Replication replication, Supplier<String> clientId) {
		this.clientId = clientId;
		this.keys = keys;
		this.scripts = new LockScripts(this.keys, this.clientId, fencingRetention, !replication.isOn(),
				this::isPolling);
		this.replication = replication;
		Duration replicaTimeout = replication.isOn() ? replication.timeout() : Duration.ZERO;
		RedisClient client = ClientFactory.create(connectionFactory, oneOfSeveral, replicaTimeout, this.connector,
				this::connectionDropped, this.scripts.probe());
		this.redis = new CommandSender(client);
		this.replies = new Replies(this.keys, this.redis::address);
		this.renewals = new RenewalSender(this.scripts, this.redis, this.redis::isCluster);
		this.replicas = new ReplicaWait(client, this.redis, replication);
		this.wakes = new WakeSubscription(this.keys, this.clientId, this.redis, this.threads.named("lock-subscribe"));
		this.messages = new RedisClientMessages(this.keys, this.redis, this.wakes);
	}

	@Override
	public String clientId() {
		String id = this.clientId.get();
		this.identified = true;
		return id;
	}

	@Override
	public boolean isIdentified() {
		return this.identified;
	}

	@Override
	public void listen(WakeListener listener) {
		this.wakes.listen(listener);
	}

	private boolean isPolling() {
		return this.wakes.isPolling();
	}

	private void connectionDropped() {
		this.wakes.reopen();
	}

	@Override
	public boolean isSubscribed() {
		return this.wakes.ensureSubscribed();
	}

	/**
	 * Returns whether no replicas are waited for. Each node has one connection or thread,
	 * but waits for replicas use separate connections.
	 */
	@Override
	public boolean keepsOrder() {
		return !this.replication.isOn();
	}

	@Override
	public @Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		return this.replication.objection(name, lease);
	}

	@Override
	public CompletableFuture<?> connect() {
		return this.redis.connect();
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		ScriptCall call = this.scripts.acquire(command);
		if (this.replication.isOn()) {
			return this.replicas.run(command.name(), call, (reply) -> replicated(command, reply));
		}
		return run(command.name(), call, (reply) -> parse(command, reply));
	}

	private AcquireReply replicated(Acquire command, ReplicaWait.Reply reply) {
		AcquireReply parsed = parse(command, new Reply(reply.values()));
		if (parsed instanceof Granted) {
			this.replication.require(command.name(), reply.replicas());
		}
		return parsed;
	}

	/** Parses a reply, and subscribes to messages if the client has to wait. */
	public AcquireReply parse(Acquire command, Reply reply) {
		AcquireReply parsed = this.replies.acquisition(command, reply);
		if (parsed instanceof Refused && command.waiting() != null) {
			this.wakes.await(command.waiting().position().isPresent());
		}
		return parsed;
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		return run(command.name(), this.scripts.release(command, this.redis.isCluster()), (reply) -> {
			Release.Reply parsed = Replies.release(reply);
			if (parsed.position().isPresent()) {
				// The client has yielded, perhaps without ever having been refused.
				this.wakes.ensureOpen();
			}
			return parsed;
		});
	}

	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return run(name, this.scripts.shortenLease(name, tenure, rest), (reply) -> reply.number(0) == 1);
	}

	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
		return run(name, this.scripts.holders(name), (reply) -> this.replies.holders(name, reply));
	}

	@Override
	public CompletableFuture<Page> names(String from, int size) {
		LockScan.Position position = LockScan.Position.of(from);
		return connect().thenCompose((connected) -> this.redis.slots())
			.thenCompose((slots) -> new LockScan(slots.stream().map(this.keys::anyOf).toList(), this.redis,
					this.scripts, this.keys, size)
				.from(position));
	}

	/**
	 * Returns a readable description of the Redis: address, client library and user.
	 * @return the description, empty if unknown
	 */
	public String address() {
		return this.redis.address();
	}

	@Override
	public Map<String, String> location() {
		return Map.of("address", address(), "topology", this.redis.topology());
	}

	/**
	 * Queries the Redis by INFO. Blocks.
	 * @return the information, which is empty if the user may not call INFO
	 */
	public RedisServerInfo serverInfo() {
		return RedisServerInfo.of(this.redis::openSeparate, this.scripts.probe().key());
	}

	@Override
	public LockBackendException explainTimeout(String name) {
		return this.redis.explainTimeout(name);
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		// A client that holds or hands over a lock for long depends on messages that say
		// that other clients wait.
		this.wakes.checkIfQuiet();
		return this.renewals.renew(commands);
	}

	@Override
	public ClientMessages messages() {
		return this.messages;
	}

	/**
	 * Checks that every master accepts writes that need memory, as an acquire does. An
	 * echo shows whether the subscription works.
	 */
	@Override
	public CompletableFuture<Map<String, Object>> probe() {
		return this.redis.connect()
			.thenCompose((connected) -> this.redis.slots())
			.thenCompose((slots) -> CompletableFuture.allOf(slots.stream()
				.map((slot) -> run(LockBackendException.NO_LOCK, this.scripts.writeCheck(slot), Function.identity()))
				.toArray(CompletableFuture[]::new)))
			.thenCombine(this.wakes.inspect(), (written, state) -> state)
			.thenCombine(identify(), (state, id) -> details(state, id))
			.exceptionallyCompose((failure) -> CompletableFuture
				.failedFuture(RedisErrors.translate(LockBackendException.NO_LOCK, failure)));
	}

	private static Map<String, Object> details(WakeSubscription.State state, String clientId) {
		return new TreeMap<>(
				Map.of("clientId", clientId, "subscription", state.subscription(), "messages", state.messages()));
	}

	private CompletableFuture<String> identify() {
		return this.identified ? CompletableFuture.completedFuture(clientId())
				: CompletableFuture.supplyAsync(this::clientId, this.connector);
	}

	/** Returns the factory for the script calls of this client. */
	public LockScripts scripts() {
		return this.scripts;
	}

	/** Runs a script for a lock. */
	public <T> CompletableFuture<T> run(String name, ScriptCall call, Function<Reply, T> parser) {
		return this.redis.run(name, call, parser);
	}

	@Override
	public void disconnect() {
		this.wakes.disconnect();
		this.redis.disconnect();
		this.threads.interrupt();
	}

	@Override
	public void close() {
		this.wakes.close();
		this.redis.close();
		this.connector.shutdown();
		this.threads.interrupt();
	}

}
