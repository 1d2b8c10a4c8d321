package io.lockstarter.redis.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One-sentence explanations of why a command failed, in English. Among nested causes, the
 * one that explains most is chosen.
 */
final class FailureText {

	static final String ADDRESS = "check host and port, and that Redis runs there";

	static final String TLS = "if the server expects TLS, set spring.data.redis.ssl.enabled=true";

	static final String NO_REPLY = "no reply to a command in time";

	private static final String PLAIN = "if the server does not use TLS, set spring.data.redis.ssl.enabled=false";

	private FailureText() {
	}

	/**
	 * Explains that no client can be derived from the application's connection factory.
	 */
	static String ofFactory(RedisConnectionFactory factory) {
		return "Locks need Lettuce or Jedis as Redis client, but the connection factory is a %s. Define a LettuceConnectionFactory or a JedisConnectionFactory for the locks as a bean named distributedLockConnectionFactory. If the factory is a mock in a test, set distributed-lock.backend=in-memory"
			.formatted(factory.getClass().getName());
	}

	/** Explains that no reply came while connecting. */
	static String ofConnecting(boolean tls) {
		return "no reply while connecting; " + (tls ? PLAIN : ADDRESS + "; " + TLS);
	}

	/**
	 * Explains why no reply came.
	 * @param connecting whether the client was connecting
	 */
	static String of(Throwable failure, boolean connecting) {
		if (isClosedHere(failure)) {
			return "its connections have been closed in this JVM, usually because the application is shutting down; acquire locks before that";
		}
		UnknownHostException unknown = find(failure, UnknownHostException.class);
		if (unknown != null) {
			return "its host name is unknown: " + oneLine(unknown.getMessage()) + "; check its spelling and DNS";
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
			return "no reply in time: " + timeout.getMessage() + "; "
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
			return "no reply to the TLS handshake (" + innermost + "); " + PLAIN;
		}
		boolean plain = Stream
			.of("not an SSL/TLS record", "plaintext connection?", "closed while SSL/TLS handshake",
					"peer shut down incorrectly")
			.anyMatch(innermost::contains);
		return "the TLS handshake failed: " + innermost + "; "
				+ (plain ? PLAIN : "trust the certificate of this host through spring.data.redis.ssl.bundle");
	}

	/**
	 * Explains a refused connection, or one that timed out, which Netty reports as a
	 * refusal.
	 */
	private static String explainConnecting(String message) {
		return message.toLowerCase(Locale.ROOT).contains("timed out")
				? "no reply while connecting: " + message + "; " + ADDRESS
				: "the connection was refused, so nothing listens at this address; " + ADDRESS;
	}

	private static String explainBroken(IOException broken, boolean connecting) {
		String message = (broken instanceof ClosedChannelException) ? "closed" : String.valueOf(broken.getMessage());
		return connecting
				? "the connection broke while it was being established (" + message + "); " + TLS
						+ "; if the server has reached its limit of connections, raise its maxclients"
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

	/**
	 * Finds an exception among causes and suppressed exceptions. Jedis tries every
	 * address of a host, and adds each failure as suppressed.
	 */
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
		String message = oneLine((cause.getMessage() != null) ? cause.getMessage() : cause.toString());
		String explanation = Remedies.addTo(message);
		// Jedis adds the replies of the cluster's nodes as suppressed exceptions.
		Throwable[] suppressed = cause.getSuppressed();
		return (explanation.equals(message) && suppressed.length > 0) ? innermost(suppressed[0]) : explanation;
	}

	private static String oneLine(@Nullable String message) {
		return String.valueOf(message).replaceAll("\\s+", " ").strip();
	}

}
