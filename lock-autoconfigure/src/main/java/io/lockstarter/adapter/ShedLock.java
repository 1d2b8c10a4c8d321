package io.lockstarter.adapter;

import java.time.Duration;
import java.util.Optional;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A lock that a task of ShedLock holds.
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
	 * Release the lock, though not before {@code lockAtLeastFor} is over. The caller does
	 * not wait for that; its lease ends the lock if this JVM does not live to do it.
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
					tell(lost);
				}
			});
		}
	}

	/**
	 * A loss is told by an event already. Thrown from here, it would take the place of
	 * what the task itself has thrown.
	 */
	private void release() {
		try {
			this.handle.close();
		}
		catch (LockLostException ex) {
			tell(ex);
		}
	}

	private static void tell(LockLostException loss) {
		logger.warn("A task took longer than its lock was to be held at most. " + loss.getMessage());
	}

	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration next) {
		long asked = System.nanoTime();
		if (isOver() || !extend(next)) {
			release();
			return Optional.empty();
		}
		return Optional.of(new ShedLock(next, this.handle, asked));
	}

	/** It may be over before its lease, which cannot be as short. */
	private boolean isOver() {
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
