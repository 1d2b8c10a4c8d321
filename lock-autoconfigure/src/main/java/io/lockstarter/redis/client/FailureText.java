package io.lockstarter.redis.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/**
 * Says in one sentence why a command has failed, for people to read. Of nested causes
 * only the one that explains most is told.
 */
final class FailureText {

	private static final String ADDRESS = "check host and port, and that Redis runs there";

	private static final String TLS = "if the server expects TLS, set spring.data.redis.ssl.enabled=true";

	private static final String PLAIN = "if the server does not speak TLS there, set spring.data.redis.ssl.enabled=false";

	/** What is in the words of Redis and of client libraries, and what to do. */
	private static final Map<String, String> ADVICE = Map.ofEntries(
			Map.entry("NOAUTH", "set spring.data.redis.password, and username if it is not the default one"),
			Map.entry("WRONGPASS", "user name or password are wrong: see spring.data.redis.username and password"),
			Map.entry("ERR invalid password", "the password is wrong: see spring.data.redis.password"),
			Map.entry("without any password configured",
					"this Redis has no password: leave spring.data.redis.password away"),
			Map.entry("ERR max number of clients reached",
					"Redis has no room for another connection: see its maxclients"),
			Map.entry("ERR DB index is out of range", "see spring.data.redis.database"),
			Map.entry("ERR invalid DB index", "see spring.data.redis.database"),
			Map.entry("Write commands not allowed after non deterministic commands",
					"this Redis before 7 is set to lua-replicate-commands no: set it to yes, which is the default"),
			Map.entry("Unexpected end of stream",
					"the server closed the connection: see its maxclients, and whether it expects TLS"),
			Map.entry("NOPERM", "give the user of the locks the published access rules"),
			Map.entry("The user executing the script can't", "give the user of the locks the published access rules"),
			Map.entry("ACL failure in script", "give the user of the locks the published access rules"),
			Map.entry("ERR unknown command",
					"locks need it: connect to Redis itself, and not to a Sentinel or to a proxy that lacks it"),
			Map.entry("ERR Unknown Redis command called from", "locks need it: use a server that has it in scripts"),
			Map.entry("MOVED ", "the server is a node of a cluster: set spring.data.redis.cluster.nodes"),
			Map.entry("CLUSTERDOWN ",
					"it is a node of a cluster of which not all slots are served: see CLUSTER INFO, and bring the missing nodes back"),
			Map.entry("TRYAGAIN ", "it is a node of a cluster that moves the slot to another one: ask again later"),
			Map.entry("MASTERDOWN ",
					"it is a replica that has lost its master: connect to the master, or find out why that is gone"),
			Map.entry("LOADING ", "it has just been started: ask again when it has loaded its data"),
			Map.entry("MISCONF ", "it cannot save its data: see its log and the room on its disk"),
			Map.entry("OOM command not allowed", "raise its maxmemory, or give the locks a Redis of their own"),
			Map.entry("cluster support disabled",
					"the server is no cluster: set spring.data.redis.host and port, and not cluster.nodes"),
			Map.entry("Cannot provide redisAddress using sentinel",
					"no Sentinel knows a master of that name: see spring.data.redis.sentinel.master"),
			Map.entry("seems to be not monitored",
					"no Sentinel knows a master of that name: see spring.data.redis.sentinel.master"),
			Map.entry("All sentinels down", "no Sentinel answers there: see spring.data.redis.sentinel.nodes"),
			Map.entry("Cannot obtain master using SENTINEL",
					"no Sentinel answers there: see spring.data.redis.sentinel.nodes"),
			Map.entry("Invalid first byte", "what answers there is not Redis: " + ADDRESS),
			Map.entry("Unknown reply", "what answers there is not Redis: " + ADDRESS),
			// Lettuce has not finished to connect when the connection is closed.
			Map.entry("RedisHandshakeHandler not registered",
					"what answers there has closed the connection at once: " + ADDRESS + "; " + TLS),
			Map.entry("Connection initialization timed out", "nothing answers there: " + ADDRESS + "; " + TLS));

	private FailureText() {
	}

	/** Explain what Redis has answered. */
	static String ofRefusal(String words) {
		return withAdvice(words);
	}

	/** Explain that nothing was heard while a connection was made. */
	static String ofConnecting(boolean tls) {
		return "no answer while connecting; " + (tls ? PLAIN : ADDRESS + "; " + TLS);
	}

	/**
	 * Explain why there is no answer.
	 * @param connecting whether a connection was to be made
	 */
	static String of(Throwable failure, boolean connecting) {
		if (isClosedHere(failure)) {
			return "its connections have been closed here, as with the application; ask for locks before that";
		}
		UnknownHostException unknown = find(failure, UnknownHostException.class);
		if (unknown != null) {
			return "its host name is not known: " + oneLine(unknown.getMessage()) + "; check its spelling and DNS";
		}
		SSLException tls = find(failure, SSLException.class);
		if (tls != null) {
			return explainTls(tls);
		}
		if (find(failure, NoRouteToHostException.class) != null) {
			return "there is no route to its host; check the network and its firewalls";
		}
		ConnectException refused = find(failure, ConnectException.class);
		if (refused != null) {
			return explainConnecting(String.valueOf(refused.getMessage()));
		}
		SocketTimeoutException timeout = find(failure, SocketTimeoutException.class);
		if (timeout != null) {
			return "no answer in time: " + timeout.getMessage() + "; "
					+ (connecting ? ADDRESS : "check the load of Redis");
		}
		IOException broken = find(failure, IOException.class);
		return (broken != null) ? explainBroken(broken, connecting || isConnecting(failure)) : innermost(failure);
	}

	private static boolean isClosedHere(Throwable failure) {
		return Causes.find(failure, RejectedExecutionException.class) != null
				|| String.valueOf(failure.getMessage()).contains("ConnectionFactory has been STOPPED");
	}

	private static String explainTls(SSLException failure) {
		String innermost = innermost(failure);
		if (innermost.contains("handshake timed out")) {
			return "no answer to the TLS handshake (" + innermost + "); " + PLAIN;
		}
		boolean plain = innermost.contains("not an SSL/TLS record") || innermost.contains("plaintext connection?");
		return "TLS was refused: " + innermost + "; "
				+ (plain ? PLAIN : "trust the certificate for this host by spring.data.redis.ssl.bundle");
	}

	/** Netty has its own type for a time that is over, which is a refusal too. */
	private static String explainConnecting(String message) {
		return message.toLowerCase(Locale.ROOT).contains("timed out")
				? "no answer while connecting: " + message + "; " + ADDRESS
				: "the connection was refused: nothing listens there; " + ADDRESS;
	}

	private static String explainBroken(IOException broken, boolean connecting) {
		String message = (broken instanceof ClosedChannelException) ? "closed" : String.valueOf(broken.getMessage());
		return connecting ? "the connection broke as it was made (" + message + "); " + TLS + "; see its maxclients too"
				: "the connection broke: " + message;
	}

	private static boolean isConnecting(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (String.valueOf(cause.getMessage()).startsWith("Unable to connect to")) {
				return true;
			}
		}
		return false;
	}

	/** Jedis tries each address of a host, and only adds why it failed. */
	private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
		T found = Causes.find(failure, type);
		for (Throwable cause = failure; found == null && cause != null; cause = cause.getCause()) {
			for (Throwable added : cause.getSuppressed()) {
				found = (found != null) ? found : find(added, type);
			}
		}
		return found;
	}

	private static String innermost(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null) {
			cause = cause.getCause();
		}
		String words = oneLine((cause.getMessage() != null) ? cause.getMessage() : cause.toString());
		String told = withAdvice(words);
		// Jedis only adds what the nodes of a cluster have answered.
		Throwable[] added = cause.getSuppressed();
		return (told.equals(words) && added.length > 0) ? innermost(added[0]) : told;
	}

	private static String oneLine(@Nullable String words) {
		return String.valueOf(words).replaceAll("\\s+", " ").strip();
	}

	private static String withAdvice(String words) {
		return ADVICE.entrySet()
			.stream()
			.filter((advice) -> words.contains(advice.getKey()))
			.findFirst()
			.map((advice) -> words + " (" + advice.getValue() + ")")
			.orElse(words);
	}

}
