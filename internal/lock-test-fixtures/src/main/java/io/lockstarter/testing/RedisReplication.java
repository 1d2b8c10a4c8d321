package io.lockstarter.testing;

import java.util.List;
import java.util.stream.Stream;

/**
 * Master with replicas, whose roles change only when a test changes them.
 */
public final class RedisReplication implements AutoCloseable {

	private static final String[] NO_SYNC_DELAY = { "--repl-diskless-sync-delay", "0" };

	private final RedisNodes nodes;

	private RedisServer master;

	private RedisReplication(RedisNodes nodes) {
		this.nodes = nodes;
		this.master = nodes.get(0);
	}

	/**
	 * Starts a master with replicas, which are in sync when this method returns.
	 * @param replicas the number of replicas
	 * @param options further options of each server
	 */
	public static RedisReplication start(int replicas, String... options) {
		RedisReplication replication = new RedisReplication(
				RedisNodes.start(1 + replicas, options(NO_SYNC_DELAY, options)));
		try {
			replication.replicas().forEach(replication::demote);
			return replication;
		}
		catch (RuntimeException ex) {
			replication.close();
			throw ex;
		}
	}

	/**
	 * Returns the server that was promoted last, or the first server.
	 */
	public RedisServer master() {
		return this.master;
	}

	/**
	 * Returns all servers except the master.
	 */
	public List<RedisServer> replicas() {
		return this.nodes.all().stream().filter((server) -> server != this.master).toList();
	}

	/**
	 * Makes a replica the master. The other servers keep their roles.
	 */
	public void promote(RedisServer replica) {
		replica.cli("REPLICAOF", "NO", "ONE");
		replica.cli("CONFIG", "REWRITE");
		this.master = replica;
	}

	/**
	 * Makes a server a replica of the master. It is in sync when this method returns.
	 */
	public void demote(RedisServer server) {
		server.cli("REPLICAOF", this.master.host(), String.valueOf(this.master.port()));
		server.cli("CONFIG", "REWRITE");
		awaitInSync(this.master);
	}

	/**
	 * Suspends a replica so that it misses the writes of its master until it is resumed.
	 * A replica that is merely stopped may receive these writes even from a dead master,
	 * because the operating system has buffered them in the connection.
	 */
	public void freeze(RedisServer replica) {
		RedisServer itsMaster = masterOf(replica);
		replica.stop();
		// The replicas that are not stopped connect again
		itsMaster.cli("CLIENT", "KILL", "TYPE", "replica");
		awaitInSync(itsMaster);
	}

	RedisNodes nodes() {
		return this.nodes;
	}

	@Override
	public void close() {
		this.nodes.close();
	}

	/**
	 * Waits until all replicas of the master have its writes, as a planned failover does.
	 */
	public void awaitInSync() {
		awaitInSync(this.master);
	}

	// By acknowledgements, because replicas report an online link before they acknowledge
	private void awaitInSync(RedisServer master) {
		Poll.until("Replicas in sync", () -> {
			long replicas = responsiveReplicasOf(master);
			return acknowledgements(master, replicas) == replicas;
		});
	}

	private long responsiveReplicasOf(RedisServer master) {
		return this.nodes.responsive()
			.filter((server) -> server.info("role").equals("slave"))
			.filter((server) -> masterOf(server) == master)
			.count();
	}

	private static long acknowledgements(RedisServer master, long count) {
		try (RespClient client = master.connect()) {
			// A command that is replicated but changes no data
			client.call("PUBLISH", "sync", "");
			// The master requests acknowledgements once; the next come a second later
			return Long.parseLong(String.valueOf(client.call("WAIT", String.valueOf(count), "20")));
		}
	}

	private RedisServer masterOf(RedisServer replica) {
		return this.nodes.onPort(Integer.parseInt(replica.info("master_port")));
	}

	private static String[] options(String[] first, String[] second) {
		return Stream.of(first, second).flatMap(Stream::of).toArray(String[]::new);
	}

}
