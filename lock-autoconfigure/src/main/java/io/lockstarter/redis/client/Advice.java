package io.lockstarter.redis.client;

import java.util.List;

/**
 * What to do about words of Redis or of a client library, for people to read.
 *
 * @param part what is in the words
 * @param meaning what the words mean, where they do not say it; empty where they do
 * @param next what to do
 */
record Advice(String part, String meaning, String next) {

	private static final String RULES = "give this user the access rules in docs/acl of Lock Starter";

	private static final String NOT_REDIS = "what answers there is not Redis";

	private static final String NO_SENTINEL = "no Sentinel answers there";

	private static final String SENTINELS = "see spring.data.redis.sentinel.nodes, which are Sentinels, usually at port 26379";

	private static final String UNKNOWN_MASTER = "no Sentinel knows a master of that name";

	private static final String MASTER = "see spring.data.redis.sentinel.master";

	private static final String DATABASE = "lower spring.data.redis.database (a cluster has 0 alone)";

	private static final List<Advice> ALL = List.of(
			of("NOAUTH", "set spring.data.redis.password, and username if it is not the default one"),
			of("WRONGPASS", "user name or password are wrong: see spring.data.redis.username and password"),
			of("ERR invalid password", "see spring.data.redis.password"),
			of("without any password configured", "remove spring.data.redis.password, or give this Redis a password"),
			of("ERR max number of clients reached", "raise its maxclients, or find out who opens so many connections"),
			of("ERR DB index is out of range", DATABASE), of("ERR invalid DB index", DATABASE),
			of("Write commands not allowed after non deterministic commands",
					"set lua-replicate-commands of this Redis to yes, which is the default"),
			of("NOPERM", RULES), of("The user executing the script can't", RULES), of("ACL failure in script", RULES),
			of("ERR unknown command",
					"locks need it: connect to Redis itself, and not to a Sentinel or to a proxy that lacks it"),
			of("ERR Unknown Redis command called from", "locks need it: use a server that has it in scripts"),
			of("MOVED ",
					"the server is a node of a cluster: set spring.data.redis.cluster.nodes, and not host and port"),
			of("CLUSTERDOWN ",
					"it is a node of a cluster of which not all slots are served: see CLUSTER INFO, and bring the missing nodes back"),
			of("TRYAGAIN ", "it is a node of a cluster that moves the slot to another one: ask again later"),
			of("MASTERDOWN ",
					"it is a replica that has lost its master: connect to the master, or find out why that is gone"),
			of("LOADING ", "it has just been started: ask again when it has loaded its data"),
			of("MISCONF ", "it cannot save its data: see its log and the room on its disk"),
			of("OOM command not allowed", "raise its maxmemory, or give the locks a Redis of their own"),
			new Advice("cluster support disabled", "the server is no cluster",
					"set spring.data.redis.host and port, and not cluster.nodes"),
			new Advice("Cannot provide redisAddress using sentinel", UNKNOWN_MASTER, MASTER),
			new Advice("seems to be not monitored", UNKNOWN_MASTER, MASTER),
			new Advice("All sentinels down", NO_SENTINEL, SENTINELS),
			new Advice("Cannot obtain master using SENTINEL", NO_SENTINEL, SENTINELS),
			new Advice("Timeout waiting for idle object", FailureText.JEDIS_POOL, FailureText.JEDIS_POOL_REMEDY),
			new Advice("Pool exhausted", FailureText.JEDIS_POOL, FailureText.JEDIS_POOL_REMEDY),
			new Advice("Invalid first byte", NOT_REDIS, FailureText.ADDRESS),
			new Advice("Unknown reply", NOT_REDIS, FailureText.ADDRESS),
			// Lettuce has not finished to connect when the connection is closed.
			new Advice("RedisHandshakeHandler not registered", "what answers there has closed the connection at once",
					FailureText.ADDRESS + "; " + FailureText.TLS),
			new Advice("Unexpected end of stream", "the server closed the connection",
					"raise its maxclients, or set spring.data.redis.ssl.enabled=true if it expects TLS"),
			new Advice("Connection initialization timed out", "nothing answers there",
					FailureText.ADDRESS + "; " + FailureText.TLS));

	private static Advice of(String part, String next) {
		return new Advice(part, "", next);
	}

	/** The words, and what to do if that is known. */
	static String with(String words) {
		String told = words.replaceFirst(", with args beginning with: .*", "").strip();
		return ALL.stream()
			.filter((advice) -> words.contains(advice.part))
			.findFirst()
			.map((advice) -> advice.about(told))
			.orElse(told);
	}

	private String about(String words) {
		String sentence = words.endsWith(".") ? words.substring(0, words.length() - 1) : words;
		return (this.meaning.isEmpty() ? sentence : this.meaning + ": " + sentence) + "; " + this.next;
	}

}
