package io.lockstarter.testing;

import java.util.List;
import java.util.stream.Stream;

/**
 * A master with replicas, whose roles change on command only.
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
	 * Start a master with replicas that are in sync when this method returns.
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
	 * The first server, or the one promoted last.
	 */
	public RedisServer master() {
		return this.master;
	}

	/**
	 * All servers but the master.
	 */
	public List<RedisServer> replicas() {
		return this.nodes.all().stream().filter((server) -> server != this.master).toList();
	}

	/**
	 * Make a replica the master. The others go on as they are.
	 */
	public void promote(RedisServer replica) {
		replica.cli("REPLICAOF", "NO", "ONE");
		replica.cli("CONFIG", "REWRITE");
		this.master = replica;
	}

	/**
	 * Let a server replicate the master. It is in sync when this method returns.
	 */
	public void demote(RedisServer server) {
		server.cli("REPLICAOF", this.master.host(), String.valueOf(this.master.port()));
		server.cli("CONFIG", "REWRITE");
		awaitInSync(this.master);
	}

	/**
	 * Freeze a replica so that it misses what its master writes from now on, until it is
	 * resumed. One that is merely stopped may get those writes even from a dead master:
	 * the system has kept them in the connection.
	 */
	public void freeze(RedisServer replica) {
		RedisServer itsMaster = masterOf(replica);
		replica.stop();
		// Those that are not stopped connect again
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

	// The replica calls its link up, as the master calls it online, some time before it
	// acknowledges anything
	/**
	 * Wait until all replicas of the master have what it has written, as a planned
	 * failover does.
	 */
	public void awaitInSync() {
		awaitInSync(this.master);
	}

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

	private static long acknowledgements(RedisServer master, long wanted) {
		try (RespClient client = master.connect()) {
			// Is replicated, but leaves no trace
			client.call("PUBLISH", "sync", "");
			// Asks once only: too early for a replica, it answers a second later
			return Long.parseLong(String.valueOf(client.call("WAIT", String.valueOf(wanted), "20")));
		}
	}

	private RedisServer masterOf(RedisServer replica) {
		return this.nodes.onPort(Integer.parseInt(replica.info("master_port")));
	}

	private static String[] options(String[] first, String[] second) {
		return Stream.of(first, second).flatMap(Stream::of).toArray(String[]::new);
	}

}
