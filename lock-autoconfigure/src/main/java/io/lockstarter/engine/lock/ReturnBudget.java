package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * How often this JVM takes a lock again at once although others may wait for it, and what
 * it owes them: a release with {@link Intent#RETURN} wakes nobody. Used under the monitor
 * of the {@link LocalLock}.
 */
final class ReturnBudget {

	private static final int RETURNS = 64;

	private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/** What is told only after the answer to the question that went along. */
	private List<Effect> postponed = List.of();

	private long since;

	private int returns;

	private boolean owesWakeUp;

	/** Releases that were followed by a question before they were answered. */
	private int unanswered;

	/**
	 * Whether to take the lock again at once.
	 * @param hears whether this JVM would hear of others who wait
	 */
	boolean mayReturn(Waiter head, @Nullable ContentionBudget others, boolean hears, Moment now) {
		if (!head.mayOvertake()) {
			// Readers and fair requests would be sent behind, or past, those who are not
			// woken. Those may be there although nobody has told of them yet.
			return false;
		}
		if (others == null && hears) {
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
	 * A release is sent.
	 * @param followed whether the next question is sent before the answer
	 */
	void released(Release command, boolean followed) {
		this.owesWakeUp = command.intent() == Intent.RETURN;
		this.unanswered += followed ? 1 : 0;
	}

	/** A release that was followed by a question has been answered. */
	void answered() {
		this.unanswered--;
	}

	/** Returns whether the reply to such a release is outstanding. */
	boolean isUnanswered() {
		return this.unanswered > 0;
	}

	/** This JVM has the lock, and wakes others when it releases it. */
	void granted(Moment now) {
		if (!this.owesWakeUp) {
			begin(now);
		}
		this.owesWakeUp = false;
	}

	/** Another instance has the lock, unless the release is carried out only later. */
	void refused() {
		this.owesWakeUp = this.owesWakeUp && isUnanswered();
	}

	/** Whether others must be woken if nobody here takes the lock. */
	boolean owesWakeUp() {
		return this.owesWakeUp;
	}

	/** Others have been woken. A release that is carried out later wakes nobody again. */
	void wokeOthers() {
		refused();
	}

	void postpone(Effect news) {
		if (this.postponed.isEmpty()) {
			this.postponed = new ArrayList<>(1);
		}
		this.postponed.add(news);
	}

	/** What can be told now. */
	List<Effect> takePostponed() {
		List<Effect> news = this.postponed;
		this.postponed = List.of();
		return news;
	}

}
