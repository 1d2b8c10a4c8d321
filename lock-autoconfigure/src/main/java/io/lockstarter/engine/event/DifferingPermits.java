package io.lockstarter.engine.event;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend.PermitHolder;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns, once for each name, of instances that ask for the same lock with different
 * numbers of permits. Thread-safe.
 */
final class DifferingPermits {

	/** Names of locks may be many. */
	private static final int MOST = 1000;

	private static final Log logger = LogFactory.getLog(DifferingPermits.class);

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	private final Consumer<Runnable> later;

	/**
	 * Warn of nothing yet.
	 * @param later logs on a thread that may block
	 */
	DifferingPermits(Consumer<Runnable> later) {
		this.later = later;
	}

	/** A request was refused beside one that has the lock with another number. */
	void found(LockRequest request, String asker, PermitHolder other) {
		if (this.warned.size() < MOST && this.warned.add(request.name())) {
			this.later.accept(() -> warn(request, asker, other));
		}
	}

	private static void warn(LockRequest request, String asker, PermitHolder other) {
		logger.warn("Lock '%s' has %d permits for %s, but %d for %s: each is granted by its own number".formatted(
				OneLine.of(request.name()), request.permits(), OneLine.of(asker), other.permits(),
				OneLine.of(other.label())));
	}

}
