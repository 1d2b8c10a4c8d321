package io.lockstarter.redis.client;

import java.util.List;

/**
 * Remedies for errors of Redis and of its client libraries, in English.
 */
final class Remedies {

	private static final String RULES = "give this user the access rules in docs/acl of Lock Starter";

	private static final String NOT_REDIS = "the server at this address is not Redis";

	private static final String NO_SENTINEL = "no Sentinel replies at these addresses";

	private static final String SENTINELS = "check spring.data.redis.sentinel.nodes: they have to be Sentinels, usually on port 26379";

	private static final String UNKNOWN_MASTER = "no Sentinel monitors a master of this name";

	private static final String MASTER = "check spring.data.redis.sentinel.master";

	private static final String SILENT = "the server replies on none of the connections of the locks";

	private static final String LOAD = "check the load of Redis and the network";

	private static final String DATABASE = "lower spring.data.redis.database (a cluster has only database 0)";

	private static final List<Remedy> ALL = List.of(
			of("NOAUTH", "set spring.data.redis.password, and username if it is not the default one"),
			of("WRONGPASS", "check spring.data.redis.username and password"),
			of("ERR invalid password", "check spring.data.redis.password"),
			of("without any password configured", "remove spring.data.redis.password, or give this Redis a password"),
			of("ERR max number of clients reached",
					"raise maxclients of this Redis, or find out which clients open so many connections"),
			of("ERR DB index is out of range", DATABASE), of("ERR invalid DB index", DATABASE),
			of("Write commands not allowed after non deterministic commands",
					"set lua-replicate-commands of this Redis to yes, which is the default"),
			of("NOPERM", RULES), of("The user executing the script can't", RULES), of("ACL failure in script", RULES),
			of("ERR unknown command",
					"locks need this command: connect to Redis itself, not to a Sentinel or to a proxy that lacks the command"),
			of("ERR Unknown Redis command called from",
					"locks need this command: use a server that supports it in scripts"),
			of("MOVED ",
					"the server is a node of a cluster: set spring.data.redis.cluster.nodes instead of host and port"),
			of("CLUSTERDOWN ",
					"some slots of this cluster are not served: check CLUSTER INFO, and bring the missing nodes back"),
			of("TRYAGAIN ", "the cluster is moving the slot to another node: try again later"),
			of("MASTERDOWN ",
					"the server is a replica that has lost its master: connect to the master, or find out why the master is down"),
			of("LOADING ", "the server has just started: try again when it has loaded its data"),
			of("MISCONF ", "the server cannot save its data: check its log and its free disk space"),
			of("OOM command not allowed", "raise maxmemory of this Redis, or use a separate Redis for the locks"),
			new Remedy("cluster support disabled", "the server is not a cluster node",
					"set spring.data.redis.host and port instead of cluster.nodes"),
			new Remedy("Cannot provide redisAddress using sentinel", UNKNOWN_MASTER, MASTER),
			new Remedy("seems to be not monitored", UNKNOWN_MASTER, MASTER),
			new Remedy("All sentinels down", NO_SENTINEL, SENTINELS),
			new Remedy("Cannot obtain master using SENTINEL", NO_SENTINEL, SENTINELS),
			new Remedy("Timeout waiting for idle object", SILENT, LOAD),
			// Spring Data reports this, without the cause, for each node of a cluster.
			new Remedy("Could not get a resource from the pool", "a node cannot be reached, or does not reply",
					"check that all nodes of the cluster are reachable, and their load"),
			new Remedy("Invalid first byte", NOT_REDIS, FailureText.ADDRESS),
			new Remedy("Unknown reply", NOT_REDIS, FailureText.ADDRESS),
			// Lettuce reports this when the server closes the connection during the
			// handshake.
			new Remedy("RedisHandshakeHandler not registered", "the server closed the connection immediately",
					FailureText.ADDRESS + "; " + FailureText.TLS),
			new Remedy("Unexpected end of stream", "the server closed the connection",
					"raise its maxclients, or set spring.data.redis.ssl.enabled=true if it expects TLS"),
			new Remedy("Connection initialization timed out", "the server does not reply",
					FailureText.ADDRESS + "; " + FailureText.TLS));

	private Remedies() {
	}

	private static Remedy of(String fragment, String remedy) {
		return new Remedy(fragment, "", remedy);
	}

	/**
	 * Returns an error message, followed by its remedy if one is known.
	 */
	static String addTo(String message) {
		String stripped = message.replaceFirst(", with args beginning with: .*", "").strip();
		return ALL.stream()
			.filter((remedy) -> message.contains(remedy.fragment))
			.findFirst()
			.map((remedy) -> remedy.addTo(stripped))
			.orElse(stripped);
	}

	/**
	 * A remedy for one kind of error.
	 *
	 * @param fragment the part of the error message by which the error is recognized
	 * @param meaning the meaning of the error; empty if the message is clear
	 * @param remedy the action to take
	 */
	private record Remedy(String fragment, String meaning, String remedy) {

		String addTo(String message) {
			String sentence = message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
			return (this.meaning.isEmpty() ? sentence : this.meaning + ": " + sentence) + "; " + this.remedy;
		}

	}

}
