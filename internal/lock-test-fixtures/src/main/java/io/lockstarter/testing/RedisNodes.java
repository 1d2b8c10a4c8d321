package io.lockstarter.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Independent servers, such as those of a quorum.
 */
public final class RedisNodes implements AutoCloseable {

	private final List<RedisServer> servers = new ArrayList<>();

	private RedisNodes() {
	}

	/**
	 * Starts servers, which are ready when this method returns.
	 * @param count the number of servers
	 * @param options further options of each server
	 */
	public static RedisNodes start(int count, String... options) {
		Supplier<RedisServer> start = () -> RedisServer.start(options);
		return start(Collections.nCopies(count, start).stream());
	}

	/**
	 * Starts guarded servers, each with a clock that can be set.
	 */
	public static RedisNodes start(List<SteppableClock> clocks) {
		return start(clocks.stream().<Supplier<RedisServer>>map((clock) -> () -> RedisServer.startGuarded(clock)));
	}

	private static RedisNodes start(Stream<Supplier<RedisServer>> starts) {
		RedisNodes nodes = new RedisNodes();
		try {
			starts.forEach((start) -> nodes.servers.add(start.get()));
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
