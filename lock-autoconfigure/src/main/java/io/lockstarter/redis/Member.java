package io.lockstarter.redis;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One server of the quorum, with how it has behaved so far.
 */
final class Member {

	private static final Log logger = LogFactory.getLog(Member.class);

	private static final Set<Reason> SILENCE = EnumSet.of(Reason.TIMEOUT, Reason.UNREACHABLE, Reason.LOADING);

	private final QuorumNode node;

	private final Arrears arrears;

	private volatile boolean silent;

	Member(QuorumNode node, ScheduledExecutorService timer) {
		this.node = node;
		this.arrears = new Arrears(this, timer);
	}

	QuorumNode node() {
		return this.node;
	}

	/** Whether it did not answer when it was last asked. */
	boolean isSilent() {
		return this.silent;
	}

	/** The server has answered, or failed to. */
	void heard(@Nullable LockBackendException failure) {
		boolean before = this.silent;
		this.silent = failure != null && SILENCE.contains(failure.reason());
		if (before && !this.silent) {
			logger.info("Redis at %s answers again".formatted(this.node));
		}
		else if (failure != null && this.silent && !before) {
			logger.warn("Redis at %s does not answer; the quorum goes on without it (%s)".formatted(this.node,
					failure.detail()));
		}
	}

	/** End a tenure later that could not be ended now, for as long as its lease lasts. */
	void owe(String name, TenureId tenure, Duration lease) {
		this.arrears.add(new Release(name, tenure, Release.Intent.STAY, null), lease);
	}

	/** How many tenures are still to be ended. */
	int owed() {
		return this.arrears.size();
	}

}
