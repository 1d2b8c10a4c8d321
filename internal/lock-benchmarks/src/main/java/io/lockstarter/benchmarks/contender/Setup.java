package io.lockstarter.benchmarks.contender;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Setup of a contender.
 *
 * @param host the host of Redis
 * @param ports the port, or those of several independent servers
 * @param lease the lease of all locks, renewed or not
 * @param retention the retention of fencing tokens after a release
 */
public record Setup(String host, List<Integer> ports, Duration lease, Duration retention) {

	/**
	 * Default lease of most contenders.
	 */
	public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

	/**
	 * Default retention of Lock Starter.
	 */
	public static final Duration DEFAULT_RETENTION = Duration.ofMinutes(10);

	public Setup {
		ports = List.copyOf(ports);
	}

	/**
	 * Returns the usual setup.
	 * @param host the host of Redis
	 * @param ports the port, or those of several independent servers
	 * @return a setup with the default times
	 */
	public static Setup of(String host, List<Integer> ports) {
		return new Setup(host, ports, DEFAULT_LEASE, DEFAULT_RETENTION);
	}

	/**
	 * Returns this setup with another lease.
	 * @param lease the lease
	 * @return the changed copy
	 */
	public Setup withLease(Duration lease) {
		return new Setup(this.host, this.ports, lease, this.retention);
	}

	/**
	 * Returns this setup with another retention.
	 * @param retention the retention
	 * @return the changed copy
	 */
	public Setup withRetention(Duration retention) {
		return new Setup(this.host, this.ports, this.lease, retention);
	}

	int port() {
		return this.ports.get(0);
	}

	/** Returns the address of the server, or of the first one. */
	String uri() {
		return uris().get(0);
	}

	List<String> uris() {
		return this.ports.stream().map((port) -> String.format(Locale.ROOT, "redis://%s:%d", this.host, port)).toList();
	}

}
