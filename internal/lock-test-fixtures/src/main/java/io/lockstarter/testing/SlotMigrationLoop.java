package io.lockstarter.testing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Loop that migrates a slot with its keys from master to master until it is closed.
 */
public final class SlotMigrationLoop implements AutoCloseable {

	private final RedisCluster cluster;

	private final String key;

	private final AtomicInteger moves = new AtomicInteger();

	private final CompletableFuture<Void> end;

	private volatile boolean closing;

	SlotMigrationLoop(RedisCluster cluster, String key) {
		this.cluster = cluster;
		this.key = key;
		this.end = CompletableFuture.runAsync(this::run, SlotMigrationLoop::startThread);
	}

	/**
	 * Returns the number of completed migrations.
	 */
	public int moves() {
		return this.moves.get();
	}

	/**
	 * Ends the loop after the current migration, and waits for its end.
	 * @throws java.util.concurrent.CompletionException if a migration has failed
	 */
	@Override
	public void close() {
		this.closing = true;
		this.end.join();
	}

	private void run() {
		while (!this.closing) {
			this.cluster.migration(this.key, nextMaster()).complete();
			this.moves.incrementAndGet();
		}
	}

	private RedisServer nextMaster() {
		List<RedisServer> masters = this.cluster.masters();
		return masters.get((masters.indexOf(this.cluster.ownerOf(this.key)) + 1) % masters.size());
	}

	private static void startThread(Runnable task) {
		Thread thread = new Thread(task, "slot-migration");
		thread.setDaemon(true);
		thread.start();
	}

}
