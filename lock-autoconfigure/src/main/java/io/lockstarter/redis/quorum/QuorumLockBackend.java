package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.ClientId;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.quorum.Majority.Result;
import io.lockstarter.redis.replication.Replication;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks in a majority of several independent Redis servers.
 * <p>
 * The algorithm is that of "Distributed Locks with Redis" in Redis's documentation
 * (Redlock). It answers the known criticism with fencing tokens, which the clients
 * propose, and with a marker in each server: one that has lost its memory finds none, and
 * does not vote until every lock that it may have forgotten has run out.
 */
public final class QuorumLockBackend implements LockBackend {

	private static final CompletableFuture<Object> CONNECTED = CompletableFuture.completedFuture("connected");

	private static final long RELEASE_TIMEOUT_MILLIS = 500;

	private static final long PROBE_TIMEOUT_MILLIS = 1500;

	private static final long ENROL_MILLIS = 5000;

	private final Supplier<String> clientId;

	private final QuorumSettings settings;

	private final List<QuorumServer> members;

	private final AutoCloseable connections;

	private final ScheduledThreadPoolExecutor timer;

	/**
	 * Keep locks in the servers that some settings name. Connects on first use.
	 * @param settings the settings, the same for all instances
	 * @param tls for the servers with TLS, or {@code null} to trust what the JVM trusts
	 */
	public QuorumLockBackend(QuorumSettings settings, @Nullable TlsOptions tls) {
		this(settings, new ClientId(), new NodeConnections(tls));
	}

	private QuorumLockBackend(QuorumSettings settings, Supplier<String> clientId, NodeConnections connections) {
		this(settings, clientId,
				settings.nodes()
					.stream()
					.map((uri) -> (QuorumNode) new RedisQuorumNode(String.valueOf(QuorumSettings.address(uri)),
							new RedisLockBackend(connections.open(uri), settings.keyPrefix(),
									settings.fencingRetention(), Replication.NONE, clientId),
							settings))
					.toList(),
				connections);
	}

	public QuorumLockBackend(QuorumSettings settings, Supplier<String> clientId, List<QuorumNode> nodes,
			AutoCloseable connections) {
		this.settings = settings;
		this.clientId = clientId;
		this.connections = connections;
		this.timer = new ScheduledThreadPoolExecutor(1, LockThreads.daemons("lock-quorum"));
		this.timer.setRemoveOnCancelPolicy(true);
		// Later there may be none, and nothing would time out.
		this.timer.prestartCoreThread();
		this.members = nodes.stream().map((node) -> new QuorumServer(node, this.timer)).toList();
		this.timer.scheduleWithFixedDelay(this::enrolServers, ENROL_MILLIS, ENROL_MILLIS, TimeUnit.MILLISECONDS);
	}

	@Override
	public String clientId() {
		return this.clientId.get();
	}

	@Override
	public boolean grantsDirectly() {
		return false;
	}

	@Override
	public void listen(WakeListener listener) {
		this.members.forEach((member) -> member.node().listen(listener));
	}

	@Override
	public boolean isListening() {
		return majorityOf(this.members.stream().filter((member) -> member.node().isListening()).count());
	}

	private boolean majorityOf(long servers) {
		return servers >= Majority.of(this.members.size());
	}

	@Override
	public @Nullable LockBackendException objection(String name, LockType type, Duration lease) {
		return (type == LockType.FAIR) ? fair(name) : longerThanAllowed(name, lease);
	}

	@Override
	public CompletableFuture<?> connect() {
		if (majorityOf(this.members.stream().filter((member) -> member.node().isConnected()).count())) {
			return CONNECTED;
		}
		CompletableFuture<Object> connected = new CompletableFuture<>();
		Majority majority = new Majority(this.members.size());
		for (QuorumServer member : this.members) {
			member.node().connect().whenComplete((connection, failure) -> {
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

	/**
	 * A server that was restarted empty, and that nobody asks for a lock, is to vote soon
	 * all the same.
	 */
	private void enrolServers() {
		if (this.members.stream().anyMatch((member) -> member.node().isConnected())) {
			this.members.stream().filter((member) -> !member.node().isEnrolled()).forEach(QuorumServer::enrol);
		}
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		LockBackendException refusal = objection(command.name(), command.type(), command.lease());
		if (refusal != null) {
			return CompletableFuture.failedFuture(refusal);
		}
		return new QuorumAttempt(this.members, this.settings, this.timer, withoutOffers(command)).begin();
	}

	private static LockBackendException fair(String name) {
		return new LockBackendException(name, Reason.NOT_SUPPORTED,
				"independent servers cannot agree on an order of arrival, so there are no FAIR locks in a quorum; use"
						+ " the type REENTRANT, or keep this lock in a single Redis",
				null);
	}

	private @Nullable LockBackendException longerThanAllowed(String name, Duration lease) {
		if (lease.compareTo(this.settings.longestLease()) <= 0) {
			return null;
		}
		return new LockBackendException(name, Reason.NOT_SUPPORTED,
				"the lease of %d ms is longer than distributed-lock.quorum.longest-lease (%d ms); raise that on all"
					.formatted(lease.toMillis(), this.settings.longestLease().toMillis())
						+ " instances, or ask for a shorter lease",
				null);
	}

	/** A grant by message would be one server's, and mean nothing. */
	private static Acquire withoutOffers(Acquire command) {
		Waiting waiting = command.waiting();
		return (waiting == null || !waiting.acceptsDirectGrant()) ? command
				: new Acquire(command.name(), command.tenure(), command.type(), command.holder(), command.lease(),
						new Waiting(waiting.position(), waiting.waited(), false));
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		Acquire next = command.next();
		Release sent = new Release(command.name(), command.tenure(), command.intent(),
				(next != null) ? withoutOffers(next) : null, command.alone());
		QuorumRelease answers = new QuorumRelease(this.members.size(), command.intent() == Release.Intent.FORCE);
		Broadcast poll = Broadcast.send(command.name(), this.members, RELEASE_TIMEOUT_MILLIS, this.timer,
				(node) -> node.release(sent), (server, answer, failure) -> {
					if (failure != null && isOwed(command)) {
						this.members.get(server).owe(command.name(), command.tenure(), this.settings.longestLease());
					}
					answers.count(answer, failure);
				});
		return poll.followedBy(answers.reply());
	}

	/** A server that misses it keeps the tenure for its lease, and is outvoted. */
	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		CompletableFuture<Boolean> curtailed = new CompletableFuture<>();
		Majority majority = new Majority(this.members.size());
		Broadcast poll = Broadcast.send(name, this.members, RELEASE_TIMEOUT_MILLIS, this.timer,
				(node) -> node.curtail(name, tenure, rest), (server, sooner, failure) -> {
					Result result = Boolean.TRUE.equals(sooner) ? majority.yes() : majority.no();
					if (result != Result.OPEN) {
						curtailed.complete(result == Result.YES);
					}
				});
		return poll.followedBy(curtailed);
	}

	/** Those who have the lock, as far as a majority can tell. */
	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
		MajorityHolders census = new MajorityHolders(this.members.size());
		Broadcast poll = Broadcast.send(name, this.members, RELEASE_TIMEOUT_MILLIS, this.timer,
				(node) -> node.occupancy(name), (server, found, failure) -> census.count(found, failure));
		return poll.followedBy(census.occupancy());
	}

	/** What a server has may be without a majority, as shows when it is looked at. */
	@Override
	public CompletableFuture<Page> names(String from, int size) {
		QuorumScan.Position position = QuorumScan.Position.of(from);
		return new QuorumScan(this.members, this.timer, size).from(position);
	}

	/** Whether a server that missed the command is to be told again. */
	private static boolean isOwed(Release command) {
		return command.tenure().sequence() > 0 && command.intent() != Release.Intent.DOWNGRADE;
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		List<CompletableFuture<RenewalReply>> verdicts = new ArrayList<>(commands.size());
		List<Renew> sent = new ArrayList<>(commands.size());
		List<QuorumRenewal> renewals = new ArrayList<>(commands.size());
		for (Renew command : commands) {
			LockBackendException refusal = longerThanAllowed(command.name(), command.lease());
			if (refusal != null) {
				verdicts.add(CompletableFuture.failedFuture(refusal));
				continue;
			}
			QuorumRenewal verdict = new QuorumRenewal(command, this.members.size());
			verdicts.add(verdict.verdict());
			renewals.add(verdict);
			sent.add(command);
		}
		if (!sent.isEmpty()) {
			this.members.forEach((member) -> renew(member, sent, renewals));
		}
		return verdicts;
	}

	private static void renew(QuorumServer member, List<Renew> sent, List<QuorumRenewal> renewals) {
		List<CompletableFuture<RenewalReply>> answers = member.node().renew(sent);
		for (int i = 0; i < answers.size(); i++) {
			renewals.get(i).await(member, answers.get(i));
		}
	}

	@Override
	public CompletableFuture<Map<String, Object>> probe() {
		QuorumProbe answers = new QuorumProbe(this.members.size());
		Broadcast poll = Broadcast.send(LockBackendException.NO_LOCK, this.members, PROBE_TIMEOUT_MILLIS, this.timer,
				QuorumNode::probe, (server, found, failure) -> answers.count(found, failure));
		return poll.followedBy(answers.details().thenApply((details) -> {
			details.put("clientId", this.clientId.get());
			details.put("releasesOwed", this.members.stream().mapToInt(QuorumServer::owed).sum());
			return details;
		}));
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.members.forEach((member) -> member.node().close());
		try {
			this.connections.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException("The connections to the quorum could not be closed", ex);
		}
	}

}
