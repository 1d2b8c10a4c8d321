package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.LockThreads;
import io.lockstarter.engine.DefaultLockRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Lifecycle of a registry, which lets work under locks finish when the application shuts
 * down. Locks are granted until the components that Spring stops in phases have stopped,
 * such as the web server, message listeners, schedulers and executors. Then waiting
 * requests are refused, and the registry waits for holders that Spring does not wait for.
 * The drain time limits the whole process. The connections to the backend are closed
 * afterwards.
 */
final class LockLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

	/**
	 * Phase that stops after the web server, listeners and executors, whose phases are
	 * high, and before the application's connection factories, whose phase is 0 and which
	 * holders may need. In between, an instance whose locks are released passes wake-ups
	 * to other instances.
	 */
	static final int PHASE = 2;

	/** Time for which no lock must have been held: 1 s. */
	private static final Duration QUIET = Duration.ofSeconds(1);

	private static final Log logger = LogFactory.getLog(LockLifecycle.class);

	private final Duration drainTimeout;

	private final ConfigurableApplicationContext context;

	private volatile @Nullable DefaultLockRegistry registry;

	private volatile boolean running;

	private volatile long refusedAt;

	LockLifecycle(Duration drainTimeout, ConfigurableApplicationContext context) {
		this.drainTimeout = drainTimeout;
		this.context = context;
	}

	/**
	 * Sets the managed registry. Other beans may see a proxy of it. If a test replaces it
	 * by a mock, no registry is managed.
	 */
	void manage(DefaultLockRegistry registry) {
		this.registry = registry;
		if (this.running) {
			registry.connect();
		}
	}

	/**
	 * Connects in the background, because an unreachable Redis must not prevent the
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
	 * Stops on a separate thread, so that the other beans of this phase are not delayed
	 * and the context limits the wait.
	 */
	@Override
	public void stop(Runnable callback) {
		DefaultLockRegistry registry = this.registry;
		if (registry != null) {
			registry.closedBy(Thread.currentThread());
		}
		Runnable task = () -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		};
		Thread thread = LockThreads.daemon("lock-shutdown", task);
		thread.setDaemon(false);
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			logger.debug("No thread could be started to wait for holders of locks, so the shutdown waits for them", ex);
			task.run();
		}
	}

	/**
	 * Drains the registry if the context is closed. A context that is only stopped or
	 * paused may be started again, but a registry cannot. So its connections are closed,
	 * and the next request opens others.
	 */
	@Override
	public void stop() {
		DefaultLockRegistry registry = this.registry;
		if (this.context.isClosed()) {
			if (registry != null) {
				drain(registry);
			}
			this.running = false;
		}
		else if (registry != null) {
			registry.disconnect();
		}
	}

	/** Begins the shutdown and the drain time. */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		DefaultLockRegistry registry = this.registry;
		if (event.getApplicationContext() == this.context && registry != null) {
			this.refusedAt = System.nanoTime() + this.drainTimeout.toNanos();
			registry.closedBy(Thread.currentThread());
			// Other beans may take longer to stop than the drain time.
			registry.beginEnding(this.drainTimeout);
		}
	}

	private void drain(DefaultLockRegistry registry) {
		long end = System.nanoTime() + this.drainTimeout.toNanos();
		try {
			registry.awaitQuiet(QUIET, until(this.refusedAt));
			if (!registry.shutdown(until(end))) {
				logger.warn(String.format(Locale.ROOT,
						"%d locks%s are still held after distributed-lock.shutdown.drain-timeout (%s) and are left to expire",
						registry.heldCount(),
						(registry.registry() != null) ? " of registry '%s'".formatted(registry.registry()) : "",
						this.drainTimeout));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static Duration until(long nanoTime) {
		return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
