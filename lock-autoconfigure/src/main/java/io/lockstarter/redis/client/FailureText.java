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

	/** What Redis's own words begin with, and what to do. */
	private static final Map<String, String> ADVICE = Map.of("NOAUTH",
			"set spring.data.redis.password, and username if it is not the default one", "WRONGPASS",
			"user name or password are wrong: see spring.data.redis.username and password", "ERR invalid password",
			"the password is wrong: see spring.data.redis.password", "ERR max number of clients reached",
			"Redis has no room for another connection: see its maxclients", "ERR DB index is out of range",
			"see spring.data.redis.database", "ERR invalid DB index", "see spring.data.redis.database",
			"Write commands not allowed after non deterministic commands",
			"this Redis before 7 is set to lua-replicate-commands no: set it to yes, which is the default",
			"Unexpected end of stream",
			"the server closed the connection: see its maxclients, and whether it expects TLS");

	private static final String TLS = "if the server expects TLS, set spring.data.redis.ssl.enabled=true";

	private static final String PLAIN = "if the server does not speak TLS there, set spring.data.redis.ssl.enabled=false";

	private FailureText() {
	}

	/** Explain what Redis has answered. */
	static String ofRefusal(String words) {
		return withAdvice(words);
	}

	/** Explain why there is no answer. */
	static String of(Throwable failure) {
		if (isClosedHere(failure)) {
			return "its connections have been closed here, as with the application; ask for locks before that";
		}
		UnknownHostException unknown = find(failure, UnknownHostException.class);
		if (unknown != null) {
			return "its host name is not known: " + unknown.getMessage();
		}
		SSLException tls = find(failure, SSLException.class);
		if (tls != null) {
			return explainTls(tls);
		}
		if (find(failure, NoRouteToHostException.class) != null) {
			return "there is no route to its host";
		}
		ConnectException refused = find(failure, ConnectException.class);
		if (refused != null) {
			return explainConnecting(String.valueOf(refused.getMessage()));
		}
		SocketTimeoutException timeout = find(failure, SocketTimeoutException.class);
		if (timeout != null) {
			return "no answer in time: " + timeout.getMessage();
		}
		IOException broken = find(failure, IOException.class);
		return (broken != null) ? explainBroken(failure, broken) : innermost(failure);
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
		return "TLS was refused: " + innermost + (plain ? "; " + PLAIN : "");
	}

	/** Netty has its own type for a time that is over, which is a refusal too. */
	private static String explainConnecting(String message) {
		return message.toLowerCase(Locale.ROOT).contains("timed out") ? "no answer while connecting: " + message
				: "the connection was refused: nothing listens there";
	}

	private static String explainBroken(Throwable failure, IOException broken) {
		String message = (broken instanceof ClosedChannelException) ? "closed" : String.valueOf(broken.getMessage());
		return isConnecting(failure) ? "the connection broke as it was made (" + message + "); " + TLS
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
		return withAdvice((cause.getMessage() != null) ? cause.getMessage() : cause.toString());
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
