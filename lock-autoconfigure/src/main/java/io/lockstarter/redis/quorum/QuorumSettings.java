package io.lockstarter.redis.quorum;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.Locale;
import java.util.Set;

import io.lockstarter.core.Credentials;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a quorum, which have to be the same on all instances.
 *
 * @param nodes the URIs of the servers, {@code redis://} or {@code rediss://} with TLS
 * @param keyPrefix the first part of every key
 * @param fencingRetention the time after a lock's end for which the last fencing token
 * and the tombstones for late commands are kept
 * @param longestLease the longest lease that any instance may request; for that time, a
 * server that has lost its data does not vote
 */
public record QuorumSettings(List<String> nodes, String keyPrefix, Duration fencingRetention, Duration longestLease) {

	private static final int DEFAULT_PORT = 6379;

	private static final int MAX_PORT = 65_535;

	/** Path of a URI: the optional database. */
	private static final Pattern DATABASE = Pattern.compile("(/\\d{0,9})?");

	public QuorumSettings {
		nodes = requireUsable(nodes);
	}

	/**
	 * Checks that servers can form a quorum.
	 * @param nodes the URIs of the servers
	 * @return the URIs
	 * @throws IllegalArgumentException if the servers cannot form a quorum; the message
	 * contains no passwords
	 */
	public static List<String> requireUsable(List<String> nodes) {
		Set<String> addresses = new HashSet<>();
		List<String> stripped = new ArrayList<>();
		for (int i = 0; i < nodes.size(); i++) {
			String node = nodes.get(i).strip();
			String address = address(node);
			if (address == null) {
				throw new IllegalArgumentException(String
					.format(Locale.ROOT, "distributed-lock.quorum.nodes[%d] must be redis://host:port or"
							+ " rediss://host:port, with user:password@ before the host and /database after the port if"
							+ " needed, special characters percent-encoded, but is '%s'", i, Credentials.masked(node)));
			}
			if (!addresses.add(address)) {
				throw new IllegalArgumentException(
						"distributed-lock.quorum.nodes must be different servers, but %s occurs twice"
							.formatted(address));
			}
			stripped.add(node);
		}
		if (stripped.size() < 3 || stripped.size() % 2 == 0) {
			throw new IllegalArgumentException(String.format(Locale.ROOT,
					"distributed-lock.quorum.nodes must be an odd number of independent"
							+ " servers, at least 3, but are %d, because a majority of them has to grant a lock",
					stripped.size()));
		}
		return List.copyOf(stripped);
	}

	/**
	 * Returns a readable list of the addresses, without passwords.
	 */
	String addresses() {
		return this.nodes.stream().map(QuorumSettings::address).map(String::valueOf).collect(Collectors.joining(", "));
	}

	@Override
	public String toString() {
		return "QuorumSettings[nodes=%s, keyPrefix=%s, fencingRetention=%s, longestLease=%s]".formatted(
				this.nodes.stream().map(Credentials::masked).toList(), this.keyPrefix, this.fencingRetention,
				this.longestLease);
	}

	/**
	 * Returns host and port of a URI, or {@code null} if the URI is not a valid Redis
	 * address.
	 */
	static @Nullable String address(String node) {
		try {
			URI uri = new URI(node);
			boolean known = "redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme());
			int port = (uri.getPort() < 0) ? DEFAULT_PORT : uri.getPort();
			if (!known || uri.getHost() == null || port == 0 || port > MAX_PORT
					|| !DATABASE.matcher(uri.getPath()).matches()) {
				return null;
			}
			return String.format(Locale.ROOT, "%s:%d", uri.getHost().toLowerCase(Locale.ROOT), port);
		}
		catch (URISyntaxException ex) {
			return null;
		}
	}

	/**
	 * Returns the maximum difference between a proposed token base and a server's clock:
	 * half of the time after which a server may have lost its last token base.
	 */
	Duration maxClockDifference() {
		Duration memory = (this.longestLease.compareTo(this.fencingRetention) < 0) ? this.longestLease
				: this.fencingRetention;
		return memory.dividedBy(2);
	}

}
