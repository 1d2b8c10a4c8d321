package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.ClientId;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.quorum.Majority.Result;
import org.jspecify.annotations.Nullable;

/**
 * Backend that keeps locks in a majority of several independent Redis servers.
 * <p>
 * The algorithm is Redlock, as described in "Distributed Locks with Redis" in the
 * documentation of Redis, with two additions. Clients propose fencing tokens. And each
 * server has a marker, without which it does not vote: a server that has lost its memory
 * has no marker, and abstains until every lock that it may have lost has expired.
 * <p>
 * Safe for use by multiple threads.
 */
public final class QuorumLockBackend implements LockBackend {

	/** Maximum wait for each server of a probe: 1.5 s. */
	private static final long PROBE_TIMEOUT_MILLIS = 1500;

	private final Supplier<String> clientId;

	private volatile boolean identified;

	private final QuorumSettings settings;

	private final QuorumLimits limits;

	private final QuorumServers servers;

	private final AutoCloseable connections;

	/**
	 * Creates a backend that connects on first use.
	 * @param settings the settings, which have to be the same on all instances
	 * @param tls the options for servers with TLS, or {@code null} for the JVM's defaults
	 */
	public QuorumLockBackend(QuorumSettings settings, @Nullable TlsOptions tls) {
		this(settings, new ClientId(), new NodeConnections(tls));
	}

	private QuorumLockBackend(QuorumSettings settings, Supplier<String> clientId, NodeConnections connections) {
		this(settings, clientId,
				settings.nodes()
					.stream()
					.map((uri) -> (QuorumNode) new RedisQuorumNode(String.valueOf(QuorumSettings.address(uri)),
							RedisLockBackend.ofQuorum(connections.open(uri), settings.keyPrefix(),
									settings.fencingRetention(), clientId),
							settings))
					.toList(),
				connections);
	}

	QuorumLockBackend(QuorumSettings settings, Supplier<String> clientId, List<QuorumNode> nodes,
			AutoCloseable connections) {
		this.settings = settings;
		this.limits = new QuorumLimits(settings);
		this.clientId = clientId;
		this.connections = connections;
		this.servers = new QuorumServers(nodes);
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
	public boolean grantsDirectly() {
		return false;
	}

	@Override
	public void listen(WakeListener listener) {
		this.servers.all().forEach((server) -> server.node().listen(listener));
	}

	@Override
	public boolean isSubscribed() {
		return this.servers.isMajority(QuorumNode::isSubscribed);
	}

	@Override
	public @Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		return this.limits.objection(name, type, permits, lease);
	}

	@Override
	public CompletableFuture<?> connect() {
		return this.servers.connect();
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		LockBackendException refusal = objection(command.name(), command.type(), command.permits(), command.lease());
		if (refusal != null) {
			return CompletableFuture.failedFuture(refusal);
		}
		return new QuorumAttempt(this.servers, this.settings, QuorumLimits.withoutDirectGrant(command)).begin();
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		Acquire next = command.next();
		// The acquire may arrive later at a server whose reply was not waited for.
		Release sent = new Release(command.name(), command.tenure(), command.intent(),
				(next != null) ? QuorumLimits.withoutDirectGrant(next) : null);
		QuorumRelease replies = new QuorumRelease(this.servers.size(), command.intent() == Release.Intent.FORCE);
		QuorumCall call = this.servers.send(command.name(), (node) -> node.release(sent), (server, reply, failure) -> {
			if (failure != null && mustBeConfirmed(command)) {
				this.servers.get(server)
					.cancelUntilConfirmed(command.name(), command.tenure(), this.settings.longestLease());
			}
			replies.count(reply, failure);
		});
		return call.cancelWith(replies.reply());
	}

	/**
	 * Shortens the lease on all servers. A server that misses the command keeps the
	 * tenure for the whole lease, and is outvoted.
	 */
	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		CompletableFuture<Boolean> shortened = new CompletableFuture<>();
		Majority majority = new Majority(this.servers.size());
		QuorumCall call = this.servers.send(name, (node) -> node.shortenLease(name, tenure, rest),
				(server, sooner, failure) -> {
					Result result = Boolean.TRUE.equals(sooner) ? majority.yes() : majority.no();
					if (result != Result.OPEN) {
						shortened.complete(result == Result.YES);
					}
				});
		return call.cancelWith(shortened);
	}

	/** Returns the holders that may have a majority. */
	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
		MajorityHolders holders = new MajorityHolders(this.servers.size());
		QuorumCall call = this.servers.send(name, (node) -> node.holders(name),
				(server, found, failure) -> holders.count(found, failure));
		return call.cancelWith(holders.holders());
	}

	/**
	 * Returns names that at least one server has. A lock among them may have no majority,
	 * which shows when its holders are inspected.
	 */
	@Override
	public CompletableFuture<Page> names(String from, int size) {
		QuorumScan.Position position = QuorumScan.Position.of(from);
		return new QuorumScan(this.servers, size).from(position);
	}

	/** Returns whether the command is repeated until each server has confirmed it. */
	private static boolean mustBeConfirmed(Release command) {
		return command.tenure().sequence() > 0 && command.intent() != Release.Intent.DOWNGRADE;
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		List<CompletableFuture<RenewalReply>> replies = new ArrayList<>(commands.size());
		List<QuorumRenewal> renewals = new ArrayList<>(commands.size());
		for (Renew command : commands) {
			LockBackendException refusal = this.limits.objection(command.name(), command.lease());
			if (refusal != null) {
				replies.add(CompletableFuture.failedFuture(refusal));
				continue;
			}
			QuorumRenewal renewal = new QuorumRenewal(command, this.servers.size());
			replies.add(renewal.reply());
			renewals.add(renewal);
		}
		if (!renewals.isEmpty()) {
			QuorumRenewal.send(this.servers, renewals);
		}
		return replies;
	}

	@Override
	public Map<String, String> location() {
		return Map.of("address", this.settings.addresses(), "topology", "quorum");
	}

	@Override
	public CompletableFuture<Map<String, Object>> probe() {
		QuorumProbe replies = new QuorumProbe(this.servers.size());
		QuorumCall call = this.servers.send(LockBackendException.NO_LOCK, PROBE_TIMEOUT_MILLIS, QuorumNode::probe,
				(server, found, failure) -> replies.count(found, failure));
		return call.cancelWith(replies.details().thenApply((details) -> {
			details.put("clientId", this.clientId.get());
			details.put("releasesOwed", this.servers.unconfirmed());
			return details;
		}));
	}

	@Override
	public ClientMessages messages() {
		return new QuorumMessages(this.servers);
	}

	@Override
	public void disconnect() {
		this.servers.all().forEach((server) -> server.node().disconnect());
	}

	@Override
	public void close() {
		this.servers.close();
		try {
			this.connections.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException("The connections to the quorum could not be closed", ex);
		}
	}

}
