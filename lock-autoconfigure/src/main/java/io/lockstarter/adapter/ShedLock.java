package io.lockstarter.adapter;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

import io.lockstarter.core.Durations;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.OneLine;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Lock that a task of ShedLock holds.
 */
final class ShedLock extends AbstractSimpleLock {

	private static final Log logger = LogFactory.getLog(ShedLock.class);

	private final LockHandle handle;

	private final long start;

	ShedLock(LockConfiguration configuration, LockHandle handle, long start) {
		super(configuration);
		this.handle = handle;
		this.start = start;
	}

	/**
	 * Releases the lock, but not before {@code lockAtLeastFor} has passed. The caller
	 * does not wait for that. If this JVM ends before, the lock ends with its lease.
	 */
	@Override
	protected void doUnlock() {
		Duration early = this.lockConfiguration.getLockAtLeastFor().minus(held());
		if (early.isNegative() || early.isZero()) {
			release();
		}
		else {
			this.handle.releaseAfter(early).whenComplete((released, failure) -> {
				if (failure instanceof LockLostException lost) {
					warn(lost);
				}
			});
		}
	}

	/**
	 * Releases the lock. A loss is logged and not thrown, because the exception would
	 * replace that of the task. An event reports the loss as well.
	 */
	private void release() {
		try {
			this.handle.close();
		}
		catch (LockLostException ex) {
			warn(ex);
		}
	}

	/** Warns of a loss in ShedLock's words. */
	private void warn(LockLostException lost) {
		LockLoss loss = lost.loss();
		if (loss.reason() == LockLoss.Reason.LEASE_EXPIRED) {
			logger.warn(
					"Task '%s' ran for %s, which is longer than its lockAtMostFor of %s, so another instance may have run it at the same time. Raise lockAtMostFor above the longest time that the task can take. %s"
						.formatted(OneLine.of(loss.name()), Durations.exact(held().truncatedTo(ChronoUnit.MILLIS)),
								Durations.exact(this.lockConfiguration.getLockAtMostFor()), loss));
		}
		else {
			logger.warn("Task '%s' lost its lock while it ran, so another instance may have run it at the same time. %s"
				.formatted(OneLine.of(loss.name()), loss));
		}
	}

	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration next) {
		long requested = System.nanoTime();
		if (hasEnded() || !extend(next)) {
			release();
			return Optional.empty();
		}
		return Optional.of(new ShedLock(next, this.handle, requested));
	}

	/**
	 * Returns whether {@code lockAtMostFor} has passed, which may be shorter than the
	 * minimum lease.
	 */
	private boolean hasEnded() {
		return held().compareTo(this.lockConfiguration.getLockAtMostFor()) >= 0;
	}

	private boolean extend(LockConfiguration next) {
		try {
			this.handle.extend(ShedLockProvider.lease(next));
			return true;
		}
		catch (LockLostException ex) {
			return false;
		}
	}

	private Duration held() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

	@Override
	public String toString() {
		return "ShedLock '" + this.lockConfiguration.getName() + "'";
	}

}
