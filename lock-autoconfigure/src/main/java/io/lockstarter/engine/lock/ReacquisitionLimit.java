package io.lockstarter.engine.lock;

import java.util.concurrent.TimeUnit;

import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Limit on immediate re-acquisitions by this JVM while other instances may wait. A
 * release with {@link Intent#RETURN} wakes no other instance, so a wake-up may be pending
 * afterwards. Used under the monitor of the {@link LocalLock}.
 */
final class ReacquisitionLimit {

	/** Maximum number of consecutive re-acquisitions. */
	private static final int RETURNS = 64;

	/** Maximum time of consecutive re-acquisitions: 10 ms. */
	private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private long since;

	private int returns;

	private boolean wakeUpPending;

	/** Number of releases without a reply that an acquire request has followed. */
	private int pendingReplies;

	/**
	 * Returns whether this JVM may acquire the lock again at once.
	 * @param subscribed whether this JVM is notified when other instances wait
	 */
	boolean mayReturn(Waiter head, @Nullable HandoverLimit others, boolean subscribed, Moment now) {
		if (!head.mayBarge()) {
			// Readers and fair requests would be put behind, or pass, waiting instances
			// that are not woken. Such instances may exist although no message has
			// reported them.
			return false;
		}
		if (others == null && subscribed) {
			begin(now);
			return true;
		}
		this.returns++;
		return this.returns <= RETURNS && (others == null || !others.isSpent(now))
				&& now.nanos() - this.since < LONGEST_NANOS;
	}

	private void begin(Moment now) {
		this.returns = 0;
		this.since = now.nanos();
	}

	/**
	 * Records that a release was sent.
	 * @param followed whether the next acquire request is sent before the reply
	 */
	void released(Release command, boolean followed) {
		this.wakeUpPending = command.intent() == Intent.RETURN;
		this.pendingReplies += followed ? 1 : 0;
	}

	/** Records the reply to a release that an acquire request has followed. */
	void replied() {
		this.pendingReplies--;
	}

	/** Returns whether the reply to such a release is outstanding. */
	boolean awaitsReply() {
		return this.pendingReplies > 0;
	}

	/**
	 * Records that this JVM has acquired the lock, and will wake other instances when it
	 * releases the lock.
	 */
	void granted(Moment now) {
		if (!this.wakeUpPending) {
			begin(now);
		}
		this.wakeUpPending = false;
	}

	/**
	 * Records that an acquire request was refused: another instance has the lock, unless
	 * the release is carried out later.
	 */
	void refused() {
		this.wakeUpPending = this.wakeUpPending && awaitsReply();
	}

	/**
	 * Returns whether other instances must be woken if this JVM does not acquire the
	 * lock.
	 */
	boolean isWakeUpPending() {
		return this.wakeUpPending;
	}

	/**
	 * Records that other instances have been woken. A release that is carried out later
	 * leaves another wake-up pending.
	 */
	void wokeOthers() {
		refused();
	}

}
