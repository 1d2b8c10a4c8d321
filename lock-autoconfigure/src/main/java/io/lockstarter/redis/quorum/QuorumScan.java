package io.lockstarter.redis.quorum;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

import io.lockstarter.core.backend.LockBackend.Page;
import org.jspecify.annotations.Nullable;

/**
 * Listing of one page of the locks of a quorum. A lock with a majority is on at least one
 * of any set of servers that leaves out less than a majority. So that number of servers
 * is listed, one after another, and further servers replace those that do not reply. A
 * name that several of them have may be on several pages.
 */
final class QuorumScan {

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
		int mayFail = this.servers.size() / 2;
		if (position.failed() > mayFail) {
			return CompletableFuture
				.failedFuture(Objects.requireNonNullElseGet(this.failure, () -> new IllegalArgumentException(
						"'%s' is not the start of a page of this quorum".formatted(position))));
		}
		if (position.listed() >= this.servers.size() - mayFail) {
			return CompletableFuture.completedFuture(new Page(List.copyOf(this.names), ""));
		}
		if (steps == 0 || this.names.size() >= this.size) {
			return CompletableFuture.completedFuture(new Page(List.copyOf(this.names), position.toString()));
		}
		QuorumServer server = this.servers.get(position.server());
		return server.send((node) -> node.names(position.inner(), this.size)).thenApply((page) -> {
			this.names.addAll(page.names());
			return position.after(page);
		}).exceptionally((thrown) -> {
			this.failure = thrown;
			return position.without();
		}).thenCompose((next) -> scan(next, steps - 1));
	}

	/**
	 * Position of a scan.
	 *
	 * @param listed the number of servers that were listed
	 * @param failed the number of servers that did not reply
	 * @param inner the start of the next page on the current server
	 */
	record Position(int listed, int failed, String inner) {

		private static final Pattern TEXT = Pattern.compile("(\\d{1,2})\\.(\\d{1,2})\\.(|\\d{1,4}-\\d{1,20})");

		static Position of(String text) {
			if (text.isEmpty()) {
				return new Position(0, 0, "");
			}
			var parts = TEXT.matcher(text);
			if (!parts.matches()) {
				throw new IllegalArgumentException("'%s' is not the start of a page of locks".formatted(text));
			}
			return new Position(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)), parts.group(3));
		}

		/** Returns the index of the current server. */
		int server() {
			return this.listed + this.failed;
		}

		Position after(Page page) {
			return page.next().isEmpty() ? new Position(this.listed + 1, this.failed, "")
					: new Position(this.listed, this.failed, page.next());
		}

		/** Returns the position after a server that does not reply. */
		Position without() {
			return new Position(this.listed, this.failed + 1, "");
		}

		@Override
		public String toString() {
			return this.listed + "." + this.failed + "." + this.inner;
		}

	}

}
