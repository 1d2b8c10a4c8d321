package io.lockstarter.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Servers that know nothing of each other, such as those of a quorum.
 */
public final class RedisNodes implements AutoCloseable {

	private final List<RedisServer> servers = new ArrayList<>();

	private RedisNodes() {
	}

	/**
	 * Start servers that answer when this method returns.
	 * @param options further options of each
	 */
	public static RedisNodes start(int count, String... options) {
		RedisNodes nodes = new RedisNodes();
		try {
			for (int i = 0; i < count; i++) {
				nodes.servers.add(RedisServer.start(options));
			}
			return nodes;
		}
		catch (RuntimeException ex) {
			nodes.close();
			throw ex;
		}
	}

	public List<RedisServer> all() {
		return List.copyOf(this.servers);
	}

	public RedisServer get(int index) {
		return this.servers.get(index);
	}

	public List<String> addresses() {
		return this.servers.stream().map(RedisServer::address).toList();
	}

	RedisServer onPort(int port) {
		return this.servers.stream()
			.filter((server) -> server.port() == port)
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No server of this fixture is on port " + port));
	}

	Stream<RedisServer> responsive() {
		return this.servers.stream().filter(RedisServer::isResponsive);
	}

	@Override
	public void close() {
		this.servers.forEach(RedisServer::close);
	}

}
