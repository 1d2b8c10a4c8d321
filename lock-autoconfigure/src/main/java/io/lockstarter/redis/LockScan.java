package io.lockstarter.redis;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Listing of one page of the locks in Redis by SCAN, node by node of a cluster. It scans
 * a limited number of keys, so that a page takes a limited time even among many keys of
 * other applications.
 */
final class LockScan {

	/** Maximum number of keys that one page scans. */
	private static final int MAX_KEYS = 100_000;

	/** Minimum number of keys that one SCAN scans. */
	private static final int MIN_KEYS_PER_STEP = 500;

	/** Maximum number of keys that one SCAN scans, so that it does not block others. */
	private static final int MAX_KEYS_PER_STEP = 2000;

	private static final String BEGIN = "0";

	private final List<String> nodes;

	private final CommandSender redis;

	private final LockScripts scripts;

	private final LockKeys keys;

	private final int size;

	private final int keysPerStep;

	private final Set<String> names = new LinkedHashSet<>();

	/**
	 * Creates a listing.
	 * @param nodes a key of each node
	 * @param size the number of names that fill the page
	 */
	LockScan(List<String> nodes, CommandSender redis, LockScripts scripts, LockKeys keys, int size) {
		this.nodes = nodes;
		this.redis = redis;
		this.scripts = scripts;
		this.keys = keys;
		this.size = size;
		// Most locks have two keys.
		this.keysPerStep = Math.max(MIN_KEYS_PER_STEP, Math.min(2 * size, MAX_KEYS_PER_STEP));
	}

	CompletableFuture<Page> from(Position begin) {
		return scan(begin, MAX_KEYS / this.keysPerStep);
	}

	private CompletableFuture<Page> scan(Position position, int steps) {
		if (position.node() >= this.nodes.size()) {
			return CompletableFuture.completedFuture(new Page(List.copyOf(this.names), ""));
		}
		if (steps == 0 || this.names.size() >= this.size) {
			return CompletableFuture.completedFuture(new Page(List.copyOf(this.names), position.toString()));
		}
		return step(this.nodes.get(position.node()), position.cursor()).thenCompose((reply) -> {
			for (int i = 1; i < reply.size(); i++) {
				add(this.keys.name(reply.text(i)));
			}
			return scan(position.next(reply.text(0)), steps - 1);
		});
	}

	/** Returns a future of the next cursor and the keys of locks. */
	private CompletableFuture<Reply> step(String node, String cursor) {
		return this.redis
			.run(LockBackendException.NO_LOCK, this.scripts.scan(node, cursor, this.keysPerStep), Function.identity())
			.exceptionallyCompose((failure) -> {
				boolean refused = failure instanceof LockBackendException known
						&& known.reason() == Reason.NOT_AUTHORIZED;
				return CompletableFuture
					.failedFuture(!refused ? failure : new LockBackendException(LockBackendException.NO_LOCK,
							Reason.NOT_AUTHORIZED, "the Redis user may not list keys; allow it +scan", failure));
			});
	}

	/** Adds a name. Of a name that is too long for a key, Redis has only the digest. */
	private void add(@Nullable String name) {
		if (name != null) {
			this.names.add(name);
		}
	}

	/**
	 * Position of a scan.
	 *
	 * @param node the index of the node
	 * @param cursor the SCAN cursor on the node
	 */
	record Position(int node, String cursor) {

		private static final Pattern TEXT = Pattern.compile("(\\d{1,4})-(\\d{1,20})");

		static Position of(String text) {
			if (text.isEmpty()) {
				return new Position(0, BEGIN);
			}
			var parts = TEXT.matcher(text);
			if (!parts.matches()) {
				throw new IllegalArgumentException("'%s' is not the start of a page of locks".formatted(text));
			}
			return new Position(Integer.parseInt(parts.group(1)), parts.group(2));
		}

		Position next(String following) {
			return following.equals(BEGIN) ? new Position(this.node + 1, BEGIN) : new Position(this.node, following);
		}

		@Override
		public String toString() {
			return this.node + "-" + this.cursor;
		}

	}

}
