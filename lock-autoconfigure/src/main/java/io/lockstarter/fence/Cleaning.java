package io.lockstarter.fence;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Deletion of old rows, now and then, by one instance at a time.
 */
final class Cleaning {

	private static final LockLog logger = LockLog.of(Cleaning.class);

	/** The name of the lock in meters. */
	private static final String GROUP = "lock-fence";

	private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

	private final Fence fence;

	private final Duration retention;

	private final Supplier<@Nullable LockRegistry> registries;

	Cleaning(Fence fence, Duration retention, Supplier<@Nullable LockRegistry> registries) {
		this.fence = fence;
		this.retention = retention;
		this.registries = registries;
	}

	void schedule(ScheduledExecutorService executor, FencedDatabase database) {
		Duration share = this.retention.dividedBy(24);
		long pause = ((share.compareTo(LONGEST_PAUSE) < 0) ? share : LONGEST_PAUSE).toMillis();
		executor.scheduleWithFixedDelay(() -> runLater(database), pause, pause, TimeUnit.MILLISECONDS);
	}

	private void runLater(FencedDatabase database) {
		try {
			run(database);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			logger.warn("Old rows of table %s could not be deleted; this is tried again".formatted(this.fence.table()),
					ex);
		}
	}

	/** Deletes old rows, unless another instance does. */
	void run(FencedDatabase database) throws SQLException, InterruptedException {
		LockRegistry registry = this.registries.get();
		if (registry == null) {
			return;
		}
		LockRequest request = LockRequest.of(this.fence.table() + ".clean").metricName(GROUP).waitTime(Duration.ZERO);
		try (LockHandle lock = registry.tryAcquire(request).orElse(null)) {
			if (lock != null) {
				database.autoCommitted((connection) -> this.fence.clean(connection, this.retention));
			}
		}
	}

}
