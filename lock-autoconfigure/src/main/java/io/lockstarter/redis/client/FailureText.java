package io.lockstarter.redis.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.concurrent.RejectedExecutionException;

import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/**
 * Says in one sentence why a command has failed, for people to read. Of nested causes
 * only the one that explains most is told.
 */
final class FailureText {

	static final String ADDRESS = "check host and port, and that Redis runs there";

	static final String TLS = "if the server expects TLS, set spring.data.redis.ssl.enabled=true";

	static final String JEDIS_POOL = "all connections of Jedis' pool may be in use by the application";

	static final String JEDIS_POOL_REMEDY = "raise spring.data.redis.jedis.pool.max-active, or give the locks a"
			+ " connection factory of their own, the bean distributedLockConnectionFactory";

	static final String JEDIS_POOL_AWAITED = JEDIS_POOL + "; " + JEDIS_POOL_REMEDY;

	private static final String PLAIN = "if the server does not speak TLS there, set spring.data.redis.ssl.enabled=false";

	private FailureText() {
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
		return connecting
				? "the connection broke as it was made (" + message + "); " + TLS
						+ "; if it has no room for another connection, raise its maxclients"
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
		String told = Advice.with(words);
		// Jedis only adds what the nodes of a cluster have answered.
		Throwable[] added = cause.getSuppressed();
		return (told.equals(words) && added.length > 0) ? innermost(added[0]) : told;
	}

	private static String oneLine(@Nullable String words) {
		return String.valueOf(words).replaceAll("\\s+", " ").strip();
	}

}
