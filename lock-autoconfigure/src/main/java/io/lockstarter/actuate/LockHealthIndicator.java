package io.lockstarter.actuate;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockMonitor;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Health indicator of a lock registry.
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	private final LockMonitor monitor;

	private final Duration timeout;

	/**
	 * Creates an indicator.
	 * @param monitor the monitor of the registry
	 * @param timeout the time after which a missing reply counts as down
	 */
	public LockHealthIndicator(LockMonitor monitor, Duration timeout) {
		super("Lock health check failed");
		this.monitor = monitor;
		this.timeout = timeout;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) throws Exception {
		LockMonitor.Health health = check();
		builder.status(health.up() ? Status.UP : Status.DOWN).withDetails(health.details());
	}

	private LockMonitor.Health check() throws Exception {
		try {
			return this.monitor.health().get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw ex;
		}
	}

}
