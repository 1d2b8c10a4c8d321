package io.lockstarter.verification.history.nemesis;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import static io.lockstarter.verification.history.nemesis.Topology.DURABLE;
import static io.lockstarter.verification.history.nemesis.Topology.FORGETFUL;
import static io.lockstarter.verification.history.nemesis.Topology.REPLICATED;
import static io.lockstarter.verification.history.nemesis.Topology.UNRELIABLE;

/**
 * Kind of a fault.
 */
public enum FaultClass {

	/** An instance is stopped for less than a lease. */
	INSTANCE_STOPPED_SHORT("instance stopped, shorter than the lease", 4, Lane.PROCESSES, Strikes::stopShort),

	/** An instance is stopped for longer than a lease. */
	INSTANCE_STOPPED_LONG("instance stopped, longer than the lease", 4, Lane.PROCESSES, Strikes::stopLong),

	/** An instance is killed and replaced. */
	INSTANCE_KILLED("instance killed, new one started", 2, Lane.PROCESSES, Strikes::killInstance),

	/** The threads of an instance are interrupted. */
	THREADS_INTERRUPTED("threads interrupted", 4, Lane.PROCESSES, Strikes::interrupt),

	/** Asynchronous requests are cancelled. */
	REQUESTS_CANCELLED("requests cancelled", 3, Lane.PROCESSES, Strikes::cancel, DURABLE, FORGETFUL, REPLICATED),

	/** A listener blocks the thread that reports renewals. */
	LISTENER_BLOCKED("listener blocked", 2, Lane.PROCESSES, Strikes::blockListener, DURABLE, FORGETFUL, REPLICATED),

	/** A registry is closed while its locks are held and requests wait. */
	REGISTRY_CLOSED("registry closed while holding", 2, Lane.PROCESSES, Strikes::reopen, DURABLE, FORGETFUL,
			REPLICATED),

	/** A lock is force-released. */
	LOCK_FORCED("lock released by force", 12, Lane.PROCESSES, Strikes::forceRelease, UNRELIABLE),

	/** Redis is stopped for less than a lease. */
	REDIS_STOPPED_SHORT("Redis stopped, shorter than the lease", 4, Lane.NETWORK, Strikes::stopRedisShort),

	/** Redis is stopped for longer than a lease. */
	REDIS_STOPPED_LONG("Redis stopped, longer than the lease", 2, Lane.NETWORK, Strikes::stopRedisLong),

	/** Redis executes no commands for a time. */
	REDIS_STALLED("Redis stalled, for 0.3 to 3 s", 12, Lane.NETWORK, Strikes::stallRedis),

	/** Redis is unavailable, and its connections are closed. */
	REDIS_AWAY("Redis unavailable for 3 to 10 s", 2, Lane.NETWORK, Strikes::takeRedisAway),

	/** Redis is killed and restarted with all acknowledged writes. */
	REDIS_RESTARTED("Redis killed and restarted with its data", 3, Lane.NETWORK, Strikes::restartRedis, DURABLE),

	/** Redis is killed and restarted without data. */
	REDIS_EMPTIED("Redis killed and restarted empty", 4, Lane.NETWORK, Strikes::emptyRedis, FORGETFUL, UNRELIABLE),

	/** All keys are removed. */
	KEYS_FLUSHED("all keys removed (FLUSHALL)", 3, Lane.NETWORK, Strikes::flushKeys, FORGETFUL, REPLICATED, UNRELIABLE),

	/** The keys of locks are removed, as by an eviction. */
	KEYS_EVICTED("keys of locks removed one by one", 3, Lane.NETWORK, Strikes::evictKeys, FORGETFUL, REPLICATED,
			UNRELIABLE),

	/** The clock of Redis jumps by more than all leases. */
	CLOCK_FORWARD("clock of Redis set forward", 4, Lane.NETWORK, Strikes::setClockForward, UNRELIABLE),

	/** A replica that has missed writes becomes the master. */
	FAILOVER("failover to a replica that missed writes", 6, Lane.NETWORK, Strikes::failOver, REPLICATED),

	/** The connections of an instance are reset. */
	CONNECTIONS_CUT("connections cut", 4, Lane.NETWORK, Strikes::cut),

	/** A command is executed, but its reply lost together with the connection. */
	REPLY_LOST("reply lost, connection cut", 6, Lane.NETWORK, Strikes::loseReply),

	/** A command is lost together with the connection. */
	REQUEST_LOST("request lost, connection cut", 4, Lane.NETWORK, Strikes::loseRequest),

	/** A command arrives a second time after its client has continued. */
	REQUEST_REPEATED("request repeated late", 6, Lane.NETWORK, Strikes::repeatRequest),

	/** Requests of an instance are delayed for a time. */
	REQUESTS_HELD("one-way silence towards Redis", 3, Lane.NETWORK, Strikes::holdRequests),

	/** Replies to an instance are delayed for a time. */
	REPLIES_HELD("one-way silence from Redis", 3, Lane.NETWORK, Strikes::holdReplies),

	/** The network of an instance is slow. */
	NETWORK_SLOW("delay in both directions", 3, Lane.NETWORK, Strikes::delay),

	/** Connections are half-open: they deliver nothing, and new ones are refused. */
	HALF_OPEN("half-open connections, new ones refused", 2, Lane.NETWORK, Strikes::halfOpen),

	/** Existing connections are unresponsive: everything sent over them is dropped. */
	CONNECTIONS_SILENT("connections unresponsive for 8 to 10 s", 2, Lane.NETWORK, Strikes::silenceConnections),

	/** Existing subscriptions are unresponsive. */
	SUBSCRIPTIONS_SILENT("subscriptions unresponsive for 2 to 5 s", 2, Lane.NETWORK, Strikes::silenceSubscriptions),

	/** The Redis user of the locks may not publish, subscribe, or use the channels. */
	MESSAGES_FORBIDDEN("PUBLISH, SUBSCRIBE or channels forbidden for 1 to 4 s", 4, Lane.NETWORK,
			Strikes::forbidMessages, DURABLE, FORGETFUL, UNRELIABLE),

	/** Redis ends all connections of clients. */
	CLIENTS_KILLED("CLIENT KILL TYPE normal", 3, Lane.NETWORK, Strikes::killClients),

	/** Redis ends all subscriptions. */
	SUBSCRIPTIONS_KILLED("CLIENT KILL TYPE pubsub", 4, Lane.NETWORK, Strikes::killSubscriptions),

	/** The script cache of Redis is flushed. */
	SCRIPTS_FLUSHED("SCRIPT FLUSH", 3, Lane.NETWORK, Strikes::flushScripts),

	/** Redis has no memory for writes. */
	MEMORY_FULL("maxmemory reached, noeviction", 3, Lane.NETWORK, Strikes::fillMemory),

	/** Redis is a replica, and refuses writes. */
	READ_ONLY("Redis made a replica for a time", 2, Lane.NETWORK, Strikes::makeReadOnly, DURABLE, FORGETFUL,
			UNRELIABLE);

	private final String text;

	private final int weight;

	private final Lane lane;

	// A method reference without state
	@SuppressWarnings("ImmutableEnumChecker")
	private final Strike strike;

	// An unmodifiable set
	@SuppressWarnings("ImmutableEnumChecker")
	private final Set<Topology> topologies;

	FaultClass(String text, int weight, Lane lane, Strike strike, Topology... topologies) {
		this.text = text;
		this.weight = weight;
		this.lane = lane;
		this.strike = strike;
		this.topologies = Set.of((topologies.length > 0) ? topologies : Topology.values());
	}

	static List<FaultClass> of(Lane lane, Topology topology) {
		return Arrays.stream(values())
			.filter((fault) -> fault.lane == lane && fault.topologies.contains(topology))
			.toList();
	}

	int weight() {
		return this.weight;
	}

	Strike strike() {
		return this.strike;
	}

	@Override
	public String toString() {
		return this.text;
	}

	/**
	 * Lane of faults: those of one lane are injected one after the other, those of
	 * different lanes concurrently.
	 */
	enum Lane {

		PROCESSES, NETWORK

	}

	/**
	 * Injection of a fault, including its repair.
	 */
	@FunctionalInterface
	interface Strike {

		/**
		 * Injects the fault, and returns after its repair.
		 * @return the number of the affected JVM, or {@link FaultEvent#ALL}
		 */
		int at(Strikes strikes);

	}

}
