package io.lockstarter.verification.history.nemesis;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import static io.lockstarter.verification.history.nemesis.Topology.DURABLE;
import static io.lockstarter.verification.history.nemesis.Topology.FORGETFUL;
import static io.lockstarter.verification.history.nemesis.Topology.REPLICATED;
import static io.lockstarter.verification.history.nemesis.Topology.UNRELIABLE;

/**
 * The kinds of faults.
 */
public enum FaultClass {

	/** An instance is stopped for less than a lease. */
	INSTANCE_STOPPED_SHORT("instance stopped, shorter than the lease", 4, Lane.PROCESSES, Strikes::stopShort),

	/** An instance is stopped for longer than a lease. */
	INSTANCE_STOPPED_LONG("instance stopped, longer than the lease", 4, Lane.PROCESSES, Strikes::stopLong),

	/** An instance is killed, and a new one comes. */
	INSTANCE_KILLED("instance killed, new one started", 2, Lane.PROCESSES, Strikes::killInstance),

	/** The threads of an instance are interrupted, whatever they do. */
	THREADS_INTERRUPTED("threads interrupted", 4, Lane.PROCESSES, Strikes::interrupt),

	/** What is waited for without blocking is cancelled. */
	REQUESTS_CANCELLED("requests cancelled", 3, Lane.PROCESSES, Strikes::cancel, DURABLE, FORGETFUL, REPLICATED),

	/** A listener keeps the thread that tells of renewals. */
	LISTENER_BLOCKED("listener blocked", 2, Lane.PROCESSES, Strikes::blockListener, DURABLE, FORGETFUL, REPLICATED),

	/** A registry is closed while its locks are held and waited for. */
	REGISTRY_CLOSED("registry closed while holding", 2, Lane.PROCESSES, Strikes::reopen, DURABLE, FORGETFUL,
			REPLICATED),

	/** Somebody takes a lock away from whoever has it. */
	LOCK_FORCED("lock released by force", 12, Lane.PROCESSES, Strikes::forceRelease, UNRELIABLE),

	/** Redis is stopped for less than a lease. */
	REDIS_STOPPED_SHORT("Redis stopped, shorter than the lease", 4, Lane.NETWORK, Strikes::stopRedisShort),

	/** Redis is stopped for longer than a lease. */
	REDIS_STOPPED_LONG("Redis stopped, longer than the lease", 2, Lane.NETWORK, Strikes::stopRedisLong),

	/** Redis carries nothing out for a time, whether it takes commands or not. */
	REDIS_STALLED("Redis stalled, for 0.3 to 3 s", 12, Lane.NETWORK, Strikes::stallRedis),

	/** Redis is away, and its connections are gone. */
	REDIS_AWAY("Redis away for 3 to 10 s", 2, Lane.NETWORK, Strikes::takeRedisAway),

	/** Redis is killed, and comes back with all that it has acknowledged. */
	REDIS_RESTARTED("Redis killed and restarted with its data", 3, Lane.NETWORK, Strikes::restartRedis, DURABLE),

	/** Redis is killed, and comes back empty. */
	REDIS_EMPTIED("Redis killed and restarted empty", 4, Lane.NETWORK, Strikes::emptyRedis, FORGETFUL, UNRELIABLE),

	/** All keys are removed. */
	KEYS_FLUSHED("all keys removed (FLUSHALL)", 3, Lane.NETWORK, Strikes::flushKeys, FORGETFUL, REPLICATED, UNRELIABLE),

	/** The locks' keys are removed, as an eviction would. */
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

	/** A command comes a second time when its client has long gone on. */
	REQUEST_REPEATED("request repeated late", 6, Lane.NETWORK, Strikes::repeatRequest),

	/** What an instance sends does not arrive for a time. */
	REQUESTS_HELD("one-way silence towards Redis", 3, Lane.NETWORK, Strikes::holdRequests),

	/** What Redis sends to an instance does not arrive for a time. */
	REPLIES_HELD("one-way silence from Redis", 3, Lane.NETWORK, Strikes::holdReplies),

	/** The network of an instance is slow. */
	NETWORK_SLOW("delay in both directions", 3, Lane.NETWORK, Strikes::delay),

	/** Connections are half-open: silent, and no new ones are taken. */
	HALF_OPEN("half-open connections, new ones refused", 2, Lane.NETWORK, Strikes::halfOpen),

	/** What goes over the connections that there are is dropped without a word. */
	CONNECTIONS_SILENT("connections silent for 8 to 10 s", 2, Lane.NETWORK, Strikes::silenceConnections),

	/** The same for subscriptions alone. */
	SUBSCRIPTIONS_SILENT("subscriptions silent for 2 to 5 s", 2, Lane.NETWORK, Strikes::silenceSubscriptions),

	/** The locks' user may not publish, subscribe, or use the channels. */
	MESSAGES_FORBIDDEN("PUBLISH, SUBSCRIBE or channels forbidden for 1 to 4 s", 4, Lane.NETWORK,
			Strikes::forbidMessages, DURABLE, FORGETFUL, UNRELIABLE),

	/** Redis ends all connections of clients. */
	CLIENTS_KILLED("CLIENT KILL TYPE normal", 3, Lane.NETWORK, Strikes::killClients),

	/** Redis ends all subscriptions. */
	SUBSCRIPTIONS_KILLED("CLIENT KILL TYPE pubsub", 4, Lane.NETWORK, Strikes::killSubscriptions),

	/** Redis forgets its scripts. */
	SCRIPTS_FLUSHED("SCRIPT FLUSH", 3, Lane.NETWORK, Strikes::flushScripts),

	/** Redis has no room for writes. */
	MEMORY_FULL("maxmemory reached, noeviction", 3, Lane.NETWORK, Strikes::fillMemory),

	/** Redis takes no writes, as a replica. */
	READ_ONLY("Redis made a replica for a time", 2, Lane.NETWORK, Strikes::makeReadOnly, DURABLE, FORGETFUL,
			UNRELIABLE);

	private final String text;

	private final int weight;

	private final Lane lane;

	// A reference to a method, which has no state
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
	 * Faults of one lane strike one after the other, those of two at once.
	 */
	enum Lane {

		PROCESSES, NETWORK

	}

	/**
	 * Lets a fault strike, and heals it.
	 */
	@FunctionalInterface
	interface Strike {

		/**
		 * Returns when the fault is healed.
		 * @return the number of the JVM that it struck, or {@link FaultEvent#ALL}
		 */
		int at(Strikes strikes);

	}

}
