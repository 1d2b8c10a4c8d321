package io.lockstarter.redis.quorum;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.lockstarter.core.backend.LockBackend.Page;
import org.jspecify.annotations.Nullable;

/**
 * Listing of one page of the locks of a quorum. A lock with a majority is on at least one
 * of any set of servers that leaves out less than a majority. So that number of servers
 * is listed, one after another, and further servers replace those that do not reply.
 */
final class QuorumScan {

	/** Maximum wait for each server: 500 ms. */
	private static final long TIMEOUT_MILLIS = 500;

	/** Maximum number of requests for one page, which limits its time. */
	private static final int MAX_STEPS = 20;

	private final QuorumServers servers;

	private final int size;

	private final Set<String> names = new LinkedHashSet<>();

	/** Latest failure of a server. */
	private @Nullable Throwable failure;

	/**
	 * Creates a listing.
	 * @param size the number of names that fill the page
	 */
	QuorumScan(QuorumServers servers, int size) {
		this.servers = servers;
		this.size = size;
	}

	CompletableFuture<Page> from(Position begin) {
		return scan(begin, MAX_STEPS);
	}

	private CompletableFuture<Page> scan(Position position, int steps) {
		if (position.finished() == this.servers.size() - this.servers.size() / 2) {
			return CompletableFuture.completedFuture(new Page(List.copyOf(this.names), ""));
		}
		if (position.server() >= this.servers.size()) {
			return CompletableFuture
				.failedFuture(Objects.requireNonNullElseGet(this.failure, () -> new IllegalArgumentException(
						"'%s' is not the start of a page of this quorum".formatted(position))));
		}
		if (steps == 0 || this.names.size() >= this.size) {
			return CompletableFuture.completedFuture(new Page(List.copyOf(this.names), position.toString()));
		}
		return send(position.server(), (node) -> node.names(position.inner(), this.size))
			.thenCompose((page) -> add(page.names(), position).thenApply((added) -> position.after(page)))
			.exceptionally((thrown) -> {
				this.failure = thrown;
				return position.without();
			})
			.thenCompose((next) -> scan(next, steps - 1));
	}

	private <T> CompletableFuture<T> send(int server, Function<QuorumNode, CompletableFuture<T>> request) {
		QuorumNode node = this.servers.get(server).node();
		return this.servers.send(TIMEOUT_MILLIS, () -> request.apply(node));
	}

	/** Adds the names that no server before has listed. */
	private CompletableFuture<?> add(List<String> found, Position position) {
		List<CompletableFuture<Boolean>> known = found.stream().map((name) -> isKnown(name, position)).toList();
		return CompletableFuture.allOf(known.toArray(CompletableFuture[]::new)).thenRun(() -> {
			for (int i = 0; i < found.size(); i++) {
				if (!known.get(i).join()) {
					this.names.add(found.get(i));
				}
			}
		});
	}

	private CompletableFuture<Boolean> isKnown(String name, Position position) {
		return IntStream.range(0, position.server())
			.filter(position::hasFinished)
			.mapToObj((server) -> send(server, (node) -> node.holders(name))
				.handle((seen, failed) -> seen != null && !seen.holders().isEmpty()))
			.reduce(CompletableFuture.completedFuture(false),
					(one, other) -> one.thenCombine(other, Boolean::logicalOr));
	}

	/**
	 * Position of a scan.
	 *
	 * @param server the index of the current server
	 * @param done the indexes of the servers that were listed, as bits
	 * @param inner the start of the next page on the current server
	 */
	record Position(int server, long done, String inner) {

		private static final Pattern TEXT = Pattern.compile("(\\d{1,2})\\.(\\d{1,18})\\.(|\\d{1,4}-\\d{1,20})");

		static Position of(String text) {
			if (text.isEmpty()) {
				return new Position(0, 0, "");
			}
			var parts = TEXT.matcher(text);
			if (!parts.matches()) {
				throw new IllegalArgumentException("'%s' is not the start of a page of locks".formatted(text));
			}
			return new Position(Integer.parseInt(parts.group(1)), Long.parseLong(parts.group(2)), parts.group(3));
		}

		boolean hasFinished(int other) {
			return (this.done & (1L << other)) != 0;
		}

		int finished() {
			return Long.bitCount(this.done);
		}

		Position after(Page page) {
			return !page.next().isEmpty() ? new Position(this.server, this.done, page.next())
					: new Position(this.server + 1, this.done | (1L << this.server), "");
		}

		/** Returns the position after a server that does not reply. */
		Position without() {
			return new Position(this.server + 1, this.done, "");
		}

		@Override
		public String toString() {
			return this.server + "." + this.done + "." + this.inner;
		}

	}

}
