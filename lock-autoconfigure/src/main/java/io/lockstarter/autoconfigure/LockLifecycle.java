package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.engine.DefaultLockRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

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

	private final Duration drainTimeout;

	private final ConfigurableApplicationContext context;

	private volatile @Nullable DefaultLockRegistry registry;

	private volatile boolean running;

	LockLifecycle(Duration drainTimeout, ConfigurableApplicationContext context) {
		this.drainTimeout = drainTimeout;
		this.context = context;
	}

	/**
	 * Look after a registry, which others may see in the shape of a proxy, or of which a
	 * test has made a mock: then there is none.
	 */
	void manage(DefaultLockRegistry registry) {
		this.registry = registry;
		if (this.running) {
			registry.connect();
		}
	}

	/**
	 * Connects in the background: a Redis that is not there yet is no reason not to
	 * start.
	 */
	@Override
	public void start() {
		this.running = true;
		DefaultLockRegistry registry = this.registry;
		if (registry != null) {
			registry.connect();
		}
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
			DefaultLockRegistry registry = this.registry;
			if (registry != null) {
				drain(registry);
			}
			this.running = false;
		}
	}

	private void drain(DefaultLockRegistry registry) {
		try {
			if (!registry.shutdown(this.drainTimeout)) {
				logger.warn(
						"%d locks are still held after distributed-lock.shutdown.drain-timeout (%s) and are left to expire"
							.formatted(registry.heldCount(), this.drainTimeout));
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
