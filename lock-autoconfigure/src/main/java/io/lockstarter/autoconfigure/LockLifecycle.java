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
 * Lets work under locks finish when the application shuts down. Locks are granted until
 * everything that Spring stops in order has stopped: the web server, listeners for
 * messages, schedulers and executors. Then requests that wait are refused, and work that
 * Spring does not wait for is followed by the locks that it holds. The drain time bounds
 * all that. The connections to the backend are stopped afterwards.
 */
final class LockLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

	/**
	 * Stops after the web server, listeners and executors, whose phases are high, and
	 * before the connection factories, whose phase is 0. In between, an instance whose
	 * locks are released tells others that it leaves.
	 */
	static final int PHASE = 2;

	/** Time for which nobody is to have held a lock: 1 s. */
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
			logger.debug("There is no thread to wait for holders of locks, so the shutdown waits for them", ex);
			task.run();
		}
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

	/** The shutdown begins, and with it the drain time. */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		DefaultLockRegistry registry = this.registry;
		if (event.getApplicationContext() == this.context && registry != null) {
			this.refusedAt = System.nanoTime() + this.drainTimeout.toNanos();
			registry.closedBy(Thread.currentThread());
			// Others may take longer to stop than the drain time.
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
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
