package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.engine.DefaultLockRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Lets holders finish when the application shuts down: after the web server has answered
 * its last requests, before the connections to the backend are stopped.
 */
final class LockLifecycle implements SmartLifecycle {

	/**
	 * Stops after the web server, whose phases are 1024 and 2048 below the default.
	 */
	static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

	private static final Log logger = LogFactory.getLog(LockLifecycle.class);

	private final DefaultLockRegistry registry;

	private final Duration drainTimeout;

	private final ConfigurableApplicationContext context;

	private volatile boolean running;

	LockLifecycle(DefaultLockRegistry registry, Duration drainTimeout, ConfigurableApplicationContext context) {
		this.registry = registry;
		this.drainTimeout = drainTimeout;
		this.context = context;
	}

	/**
	 * Connects in the background: a Redis that is not there yet is no reason not to
	 * start.
	 */
	@Override
	public void start() {
		this.registry.connect();
		this.running = true;
	}

	/**
	 * Does not hold up the other beans of this phase, and leaves it to the context to
	 * give up waiting.
	 */
	@Override
	public void stop(Runnable callback) {
		Thread thread = new Thread(() -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		}, "lock-shutdown");
		thread.start();
	}

	/**
	 * A context that is stopped but not closed may be started again, which a registry may
	 * not: it runs on until the context is closed.
	 */
	@Override
	public void stop() {
		if (this.context.isClosed()) {
			drain();
			this.running = false;
		}
	}

	private void drain() {
		try {
			if (!this.registry.shutdown(this.drainTimeout)) {
				logger.warn(
						"%d locks are still held after distributed-lock.shutdown.drain-timeout (%s) and are left to expire"
							.formatted(this.registry.heldCount(), this.drainTimeout));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
