package io.lockstarter.dashboard;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Row of the table, with everything that is known about a lock.
 *
 * @param name the lock's name
 * @param metricName the name under which the lock counts in meters
 * @param type the lock's type, in lower case, or {@code null} if only the backend knows
 * the lock
 * @param permits the number of permits of the lock
 * @param holders the holders of the lock
 * @param waits the waiting requests per instance, those with the longest wait first
 * @param requests the number of waiting requests
 * @param instances the number of instances that sent these requests
 * @param problems the problems of the lock, the worst first
 */
record LockRow(String name, String metricName, @Nullable String type, int permits, List<Holder> holders,
		List<InstanceWait> waits, int requests, int instances, List<LockProblem> problems) {

	Level level() {
		return this.problems.isEmpty() ? Level.GOOD : this.problems.get(0).level();
	}

	/**
	 * Returns the severity of the problem of a kind, or {@link Level#GOOD} if there is no
	 * such problem.
	 */
	Level level(Kind kind) {
		return this.problems.stream()
			.filter((problem) -> problem.kind() == kind)
			.map(LockProblem::level)
			.max(Comparator.naturalOrder())
			.orElse(Level.GOOD);
	}

	long longestHoldMillis() {
		return this.holders.stream().mapToLong(Holder::heldMillis).max().orElse(0);
	}

	long longestWaitMillis() {
		return this.waits.stream().mapToLong(InstanceWait::longestMillis).max().orElse(0);
	}

	/** Returns the time until the first lease ends; negative if nobody holds the lock. */
	long leaseMillis() {
		return this.holders.stream().mapToLong(Holder::leaseMillis).min().orElse(-1);
	}

	/** Returns the instances and threads that hold the lock or wait for it. */
	Stream<String> texts() {
		Stream<@Nullable String> holders = this.holders.stream()
			.flatMap((holder) -> Stream.of(holder.instance(), holder.thread()));
		Stream<String> waiters = this.waits.stream()
			.flatMap((wait) -> Stream.concat(Stream.of(wait.instance()),
					wait.waiters().stream().map(InstanceReport.Waiter::owner)));
		return Stream.concat(holders, waiters).filter(Objects::nonNull);
	}

	boolean isRead() {
		return "read".equals(this.type) || (this.holders.size() > 1 && this.permits == 1);
	}

	/**
	 * Severity of a problem.
	 */
	enum Level {

		/** Nothing is wrong. */
		GOOD,
		/** Somebody should check the lock. */
		WARNING,
		/** Something is broken. */
		BAD

	}

	/**
	 * Problem of a lock.
	 *
	 * @param kind the kind of the problem
	 * @param level the severity of the problem
	 * @param text a short description
	 */
	record LockProblem(Kind kind, Level level, String text) {
	}

	/**
	 * Kind of a problem.
	 */
	enum Kind {

		/** The lock was lost while it was held. */
		LOST,
		/** The lock was force-released. */
		FORCE_RELEASED,
		/**
		 * The database refused the fencing token because there has been a later owner.
		 */
		FENCE_REFUSED,
		/** Two instances hold the lock although they exclude each other. */
		HELD_TWICE,
		/** The lease is not renewed. */
		NOT_RENEWED,
		/** A request has waited unusually long. */
		WAITED_LONG,
		/** A hold has lasted unusually long. */
		HELD_LONG,
		/** The holder's instance is unresponsive. */
		UNRESPONSIVE

	}

	/**
	 * Holder of a lock.
	 *
	 * @param instance the instance
	 * @param thread the thread or task, or {@code null} if only the backend knows the
	 * holder
	 * @param heldMillis the duration of the hold
	 * @param leaseMillis the remaining lease
	 * @param renewal the state of the renewal, in lower case, or {@code null} if it is
	 * unknown
	 * @param token the fencing token
	 * @param count the hold count, or 0 if it is unknown
	 * @param state the certainty of this information
	 */
	record Holder(String instance, @Nullable String thread, long heldMillis, long leaseMillis, @Nullable String renewal,
			String token, int count, HolderState state) {

		boolean isUnresponsive() {
			return this.state == HolderState.UNRESPONSIVE;
		}

	}

	/**
	 * Certainty of the information about a holder.
	 */
	enum HolderState {

		/** The instance or the backend reports the hold. */
		KNOWN,
		/** The backend reports the hold, and the instance is unresponsive. */
		UNRESPONSIVE,
		/** The last, outdated report of the instance contains the hold. */
		OUTDATED,
		/** The instance has released the lock, but the backend still reports the hold. */
		RELEASE_UNCONFIRMED

	}

	/**
	 * Waiting requests of an instance.
	 *
	 * @param instance the instance, or {@code null} for requests that only the backend
	 * knows
	 * @param requests the number of waiting requests
	 * @param longestMillis the duration of the longest wait
	 * @param waiters the requests with the longest waits, the longest first
	 */
	record InstanceWait(@Nullable String instance, int requests, long longestMillis,
			List<InstanceReport.Waiter> waiters) {
	}

}
