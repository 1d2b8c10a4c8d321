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
 * One page of the locks that a quorum has. A lock that a majority has is on one at least
 * of any servers that leave less than a majority out. So that many servers are gone
 * through, one after the other, and others in place of those that do not answer.
 */
final class QuorumScan {

	private static final long TIMEOUT_MILLIS = 500;

	/** So that a page takes a limited time, however few locks a server has more. */
	private static final int MOST_STEPS = 20;

	private final QuorumServers servers;

	private final int size;

	private final Set<String> names = new LinkedHashSet<>();

	/** How the last server failed that did. */
	private @Nullable Throwable failure;

	/**
	 * Look for a page.
	 * @param size how many names fill the page
	 */
	QuorumScan(QuorumServers servers, int size) {
		this.servers = servers;
		this.size = size;
	}

	CompletableFuture<Page> from(Position begin) {
		return scan(begin, MOST_STEPS);
	}

	private CompletableFuture<Page> scan(Position position, int steps) {
		if (position.finished() == this.servers.size() - this.servers.size() / 2) {
			return CompletableFuture.completedFuture(new Page(List.copyOf(this.names), ""));
		}
		if (position.server() >= this.servers.size()) {
			return CompletableFuture.failedFuture(Objects.requireNonNullElseGet(this.failure,
					() -> new IllegalArgumentException("No page of this quorum has said '%s'".formatted(position))));
		}
		if (steps == 0 || this.names.size() >= this.size) {
			return CompletableFuture.completedFuture(new Page(List.copyOf(this.names), position.toString()));
		}
		return ask(position.server(), (node) -> node.names(position.inner(), this.size))
			.thenCompose((page) -> add(page.names(), position).thenApply((added) -> position.after(page)))
			.exceptionally((thrown) -> {
				this.failure = thrown;
				return position.without();
			})
			.thenCompose((next) -> scan(next, steps - 1));
	}

	private <T> CompletableFuture<T> ask(int server, Function<QuorumNode, CompletableFuture<T>> question) {
		QuorumNode node = this.servers.get(server).node();
		return this.servers.ask(TIMEOUT_MILLIS, () -> question.apply(node));
	}

	/** Add what no server has that was gone through before. */
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
			.mapToObj((server) -> ask(server, (node) -> node.holders(name))
				.handle((seen, failed) -> seen != null && !seen.holders().isEmpty()))
			.reduce(CompletableFuture.completedFuture(false),
					(one, other) -> one.thenCombine(other, Boolean::logicalOr));
	}

	/**
	 * How far a scan has come.
	 *
	 * @param server the place of the server to go through
	 * @param done those that were gone through, as bits
	 * @param inner where its next page begins
	 */
	record Position(int server, long done, String inner) {

		private static final Pattern TEXT = Pattern.compile("(\\d{1,2})\\.(\\d{1,18})\\.(|\\d{1,4}-\\d{1,20})");

		static Position of(String text) {
			if (text.isEmpty()) {
				return new Position(0, 0, "");
			}
			var parts = TEXT.matcher(text);
			if (!parts.matches()) {
				throw new IllegalArgumentException("'%s' is not where a page of locks begins".formatted(text));
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

		/** The server does not answer. */
		Position without() {
			return new Position(this.server + 1, this.done, "");
		}

		@Override
		public String toString() {
			return this.server + "." + this.done + "." + this.inner;
		}

	}

}
