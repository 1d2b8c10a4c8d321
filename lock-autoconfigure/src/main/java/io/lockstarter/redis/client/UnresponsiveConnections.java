package io.lockstarter.redis.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lockstarter.logging.LockLog;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Startup warnings about connections that may stay unresponsive for long, because
 * {@link UnresponsiveConnectionCheck} does not check them: those of Lettuce to a cluster.
 */
public final class UnresponsiveConnections {

	private static final LockLog logger = LockLog.of(UnresponsiveConnections.class);

	/**
	 * Linux's default number of TCP retransmissions before it closes a connection.
	 */
	static final int DEFAULT_RETRIES = 15;

	private static final Path RETRIES = Path.of("/proc/sys/net/ipv4/tcp_retries2");

	private UnresponsiveConnections() {
	}

	/**
	 * Checks the settings of the client library and of this machine.
	 * @param connectionFactory the factory of the connections
	 * @return a warning with its remedy if a connection may stay unresponsive for a
	 * quarter of an hour
	 */
	public static List<String> warnings(RedisConnectionFactory connectionFactory) {
		return warnings(connectionFactory, retries());
	}

	static List<String> warnings(RedisConnectionFactory connectionFactory, int retries) {
		List<String> warnings = new ArrayList<>();
		if (retries >= DEFAULT_RETRIES && connectionFactory instanceof LettuceConnectionFactory factory
				&& factory.isClusterAware() && !isBounded(factory) && !isLocal(factory)) {
			warnings.add("An unresponsive connection of Lettuce to a cluster is detected only after a quarter"
					+ " of an hour, by TCP; set keepAlive and tcpUserTimeout of its SocketOptions through"
					+ " a LettuceClientOptionsBuilderCustomizer");
		}
		return warnings;
	}

	private static boolean isBounded(LettuceConnectionFactory factory) {
		return factory.getClientConfiguration()
			.getClientOptions()
			.map(ClientOptions::getSocketOptions)
			.filter(SocketOptions::isEnableTcpUserTimeout)
			.isPresent();
	}

	/**
	 * Returns whether all servers run on this machine, where no network can lose a
	 * connection.
	 */
	private static boolean isLocal(LettuceConnectionFactory factory) {
		RedisClusterConfiguration cluster = factory.getClusterConfiguration();
		Stream<String> hosts = (cluster != null) ? cluster.getClusterNodes().stream().map(RedisNode::getRequiredHost)
				: Stream.of(factory.getHostName());
		return factory.getSocketConfiguration() != null || hosts.allMatch(UnresponsiveConnections::isLoopback);
	}

	private static boolean isLoopback(String host) {
		try {
			return InetAddress.getByName(host).isLoopbackAddress();
		}
		catch (UnknownHostException ex) {
			logger.debug("The host %s is unknown".formatted(host), ex);
			return false;
		}
	}

	/**
	 * Reads the number of retransmissions. Only Linux has this setting and
	 * TCP_USER_TIMEOUT.
	 */
	private static int retries() {
		try {
			return Files.isReadable(RETRIES) ? Integer.parseInt(Files.readString(RETRIES).strip()) : 0;
		}
		catch (IOException | NumberFormatException ex) {
			logger.debug("%s cannot be read".formatted(RETRIES), ex);
			return 0;
		}
	}

}
