package io.lockstarter.testing;

import java.util.List;
import java.util.stream.Stream;

/**
 * Migration of one slot of a cluster to another master, in steps: {@link #begin()},
 * {@link #moveKey()} until the source has no key, {@link #finish()}.
 */
public final class SlotMigration {

	/** Maximum time to move a key: 2 s. */
	private static final String MOVE_TIMEOUT_MILLIS = "2000";

	/** Maximum number of keys in a listing. */
	private static final String MAX_KEYS = "1000";

	private final RedisCluster cluster;

	private final String slot;

	private RedisServer source;

	private final RedisServer target;

	SlotMigration(RedisCluster cluster, int slot, RedisServer source, RedisServer target) {
		this.cluster = cluster;
		this.slot = String.valueOf(slot);
		this.source = source;
		this.target = target;
	}

	public RedisServer source() {
		return this.source;
	}

	public RedisServer target() {
		return this.target;
	}

	/**
	 * Begins the migration. From now on, the source redirects clients to the target for
	 * keys that the source does not have. Does nothing if the target already owns the
	 * slot.
	 */
	public SlotMigration begin() {
		Poll.until("Slot %s at its source, known to its target".formatted(this.slot), this::canBegin);
		if (!isDone()) {
			this.target.cli("CLUSTER", "SETSLOT", this.slot, "IMPORTING", this.cluster.idOf(this.source));
			this.source.cli("CLUSTER", "SETSLOT", this.slot, "MIGRATING", this.cluster.idOf(this.target));
		}
		return this;
	}

	// Gossip about an earlier migration may still assign the slot to another master. A
	// target that does not know the latest epoch would claim the slot with an older one,
	// and would lose the slot to a late packet.
	private boolean canBegin() {
		this.source = this.cluster.ownerOf(Integer.parseInt(this.slot));
		return serves(this.source)
				&& (isDone() || epoch(this.target, "current_epoch") >= epoch(this.source, "my_epoch"));
	}

	private boolean isDone() {
		return this.source == this.target;
	}

	/**
	 * Returns the keys that are still at the source.
	 */
	public List<String> keys() {
		return this.source.list("CLUSTER", "GETKEYSINSLOT", this.slot, MAX_KEYS).stream().map(String::valueOf).toList();
	}

	/**
	 * Moves any key.
	 * @return whether the source had a key
	 */
	public boolean moveKey() {
		List<String> keys = keys();
		keys.stream().limit(1).forEach(this::moveKey);
		return !keys.isEmpty();
	}

	/**
	 * Moves a key, if the key still exists.
	 */
	public void moveKey(String key) {
		this.source.cli("MIGRATE", this.target.host(), String.valueOf(this.target.port()), key, "0",
				MOVE_TIMEOUT_MILLIS);
	}

	/**
	 * Assigns the slot to the target.
	 * @throws IllegalStateException if the source still has keys, which would be lost
	 */
	public void finish() {
		List<String> keys = keys();
		if (!keys.isEmpty()) {
			throw new IllegalStateException("Slot %s still has the keys %s".formatted(this.slot, keys));
		}
		Poll.until("Slot %s at its target".formatted(this.slot), () -> {
			announce();
			return serves(this.target);
		});
	}

	private void announce() {
		String id = this.cluster.idOf(this.target);
		// The target first: without an owner of the slot, clients are redirected in
		// circles
		Stream.concat(Stream.of(this.target, this.source), this.cluster.masters().stream())
			.distinct()
			.filter(RedisServer::isResponsive)
			.forEach((master) -> master.cli("CLUSTER", "SETSLOT", this.slot, "NODE", id));
	}

	private static long epoch(RedisServer node, String which) {
		return String.valueOf(node.cli("CLUSTER", "INFO"))
			.lines()
			.filter((line) -> line.startsWith("cluster_" + which + ":"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
			.findFirst()
			.orElseThrow();
	}

	/** Returns whether a node considers itself the owner of the slot. */
	private boolean serves(RedisServer node) {
		return ClusterView.of(Stream.of(node))
			.ownerOf(Integer.parseInt(this.slot))
			.filter((owner) -> owner.port() == node.port())
			.isPresent();
	}

	/**
	 * Executes all steps.
	 */
	public void complete() {
		begin();
		if (!isDone()) {
			while (moveKey()) {
				// Until the source has no key
			}
			finish();
		}
	}

}
