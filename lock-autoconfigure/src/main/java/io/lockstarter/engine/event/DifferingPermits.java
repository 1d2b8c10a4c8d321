package io.lockstarter.engine.event;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend.PermitHolder;
import io.lockstarter.logging.LockLog;

/**
 * Warnings about instances that request the same lock with different numbers of permits,
 * once per name. Thread-safe.
 */
final class DifferingPermits {

	/** Maximum number of names that are warned about. */
	private static final int MOST = 1000;

	private static final LockLog logger = LockLog.of(DifferingPermits.class);

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Warns that a request was refused because of a holder whose number of permits
	 * differs.
	 */
	void found(LockRequest request, String requester, PermitHolder other) {
		if (this.warned.size() < MOST && this.warned.add(request.name())) {
			warn(request, requester, other);
		}
	}

	private static void warn(LockRequest request, String requester, PermitHolder other) {
		logger.warn(String.format(Locale.ROOT,
				"Lock '%s' has %d permits for %s, but %d for %s: each request is granted by its own number",
				OneLine.of(request.name()), request.permits(), OneLine.of(requester), other.permits(),
				OneLine.of(other.label())));
	}

}
