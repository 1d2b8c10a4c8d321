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
 * Whether something bounds how long a connection may be silent that is not watched here:
 * one of Lettuce to a cluster.
 */
public final class SilentConnections {

	private static final LockLog logger = LockLog.of(SilentConnections.class);

	/**
	 * How often Linux sends again what was not acknowledged, as long as nobody says
	 * otherwise.
	 */
	static final int DEFAULT_RETRIES = 15;

	private static final Path RETRIES = Path.of("/proc/sys/net/ipv4/tcp_retries2");

	private SilentConnections() {
	}

	/**
	 * Look at the settings of a client library and of this machine.
	 * @param connectionFactory makes the connections
	 * @return a sentence with the remedy if nothing bounds their silence
	 */
	public static List<String> warnings(RedisConnectionFactory connectionFactory) {
		return warnings(connectionFactory, retries());
	}

	static List<String> warnings(RedisConnectionFactory connectionFactory, int retries) {
		LettuceFactory lettuce = new LettuceFactory(connectionFactory);
		LettuceConnectionFactory factory = lettuce.known();
		List<String> warnings = new ArrayList<>();
		if (retries >= DEFAULT_RETRIES && factory != null && factory.isClusterAware() && !isBounded(factory)
				&& !isLocal(factory)) {
			warnings.add("A connection of Lettuce to a cluster that falls silent is noticed only after a"
					+ " quarter of an hour, when TCP gives up; set keepAlive and tcpUserTimeout of its SocketOptions by"
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

	/** Nothing stands between processes of one machine. */
	private static boolean isLocal(LettuceConnectionFactory factory) {
		RedisClusterConfiguration cluster = factory.getClusterConfiguration();
		Stream<String> hosts = (cluster != null) ? cluster.getClusterNodes().stream().map(RedisNode::getRequiredHost)
				: Stream.of(factory.getHostName());
		return factory.getSocketConfiguration() != null || hosts.allMatch(SilentConnections::isLoopback);
	}

	private static boolean isLoopback(String host) {
		try {
			return InetAddress.getByName(host).isLoopbackAddress();
		}
		catch (UnknownHostException ex) {
			logger.debug("%s is not known".formatted(host), ex);
			return false;
		}
	}

	/** Other systems have no such setting, nor TCP_USER_TIMEOUT. */
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
