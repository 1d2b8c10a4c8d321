package io.lockstarter.benchmarks.contender;

import java.time.Duration;

/**
 * What a contender is started with.
 *
 * @param host where Redis runs
 * @param port its port
 * @param lease the lease of all locks, renewed or not
 * @param retention how long fencing tokens are kept after a release
 */
public record Setup(String host, int port, Duration lease, Duration retention) {

	/**
	 * The lease that most contenders have by default.
	 */
	public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

	/**
	 * The retention that Lock Starter has by default.
	 */
	public static final Duration DEFAULT_RETENTION = Duration.ofMinutes(10);

	/**
	 * Return the usual setup.
	 * @param host where Redis runs
	 * @param port its port
	 * @return a setup with the default times
	 */
	public static Setup of(String host, int port) {
		return new Setup(host, port, DEFAULT_LEASE, DEFAULT_RETENTION);
	}

	/**
	 * Return this setup with another lease.
	 * @param lease the lease
	 * @return the changed copy
	 */
	public Setup withLease(Duration lease) {
		return new Setup(this.host, this.port, lease, this.retention);
	}

	/**
	 * Return this setup with another retention.
	 * @param retention the retention
	 * @return the changed copy
	 */
	public Setup withRetention(Duration retention) {
		return new Setup(this.host, this.port, this.lease, retention);
	}

	String uri() {
		return "redis://%s:%d".formatted(this.host, this.port);
	}

}
