package io.lockstarter.dashboard;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A lock as all that is known of it, put together.
 *
 * @param name the lock's name
 * @param metricName the name under which it counts in meters
 * @param type its type, in lower case, or {@code null} if only the backend knows it
 * @param permits how many may hold it at a time
 * @param holders who holds it
 * @param waits who waits for it, by instance, those first that have waited longest
 * @param requests how many requests wait
 * @param instances how many instances they are of
 * @param troubles what is wrong with it, the worst first
 */
record LockRow(String name, String metricName, @Nullable String type, int permits, List<Holder> holders,
		List<InstanceWait> waits, int requests, int instances, List<Trouble> troubles) {

	Level level() {
		return this.troubles.isEmpty() ? Level.GOOD : this.troubles.get(0).level();
	}

	long longestHoldMillis() {
		return this.holders.stream().mapToLong(Holder::heldMillis).max().orElse(0);
	}

	long longestWaitMillis() {
		return this.waits.stream().mapToLong(InstanceWait::longestMillis).max().orElse(0);
	}

	/** How long it takes until a holder's lease ends, or negative if nobody holds it. */
	long leaseMillis() {
		return this.holders.stream().mapToLong(Holder::leaseMillis).min().orElse(-1);
	}

	/** Returns the instances and threads that hold it or wait for it. */
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
	 * How bad something is.
	 */
	enum Level {

		/** Nothing is wrong. */
		GOOD,
		/** Somebody should look. */
		WARNING,
		/** Something is broken. */
		BAD

	}

	/**
	 * Something that is wrong with a lock.
	 *
	 * @param kind what
	 * @param level how bad it is
	 * @param text in a few words
	 */
	record Trouble(Kind kind, Level level, String text) {
	}

	/**
	 * What can be wrong with a lock.
	 */
	enum Kind {

		/** It was lost while it was held. */
		LOST,
		/** It was released by force. */
		FORCE_RELEASED,
		/** The database refused its token, since another owner has held it meanwhile. */
		FENCE_REFUSED,
		/** Two instances hold it that exclude each other. */
		HELD_TWICE,
		/** Its lease is not renewed. */
		NOT_RENEWED,
		/** A request has waited for unusually long. */
		WAITED_LONG,
		/** It is held for unusually long. */
		HELD_LONG,
		/** Its holder does not answer. */
		SILENT

	}

	/**
	 * Someone who holds the lock.
	 *
	 * @param instance the instance
	 * @param thread the thread or task, or {@code null} if only the backend knows of it
	 * @param heldMillis for how long
	 * @param leaseMillis how long the lease still lasts
	 * @param renewal what the watchdog does for it, in lower case, or {@code null} if
	 * that is not known
	 * @param token the fencing token
	 * @param count the hold count, or 0 if that is not known
	 * @param state how sure that is
	 */
	record Holder(String instance, @Nullable String thread, long heldMillis, long leaseMillis, @Nullable String renewal,
			String token, int count, HolderState state) {

		boolean isSilent() {
			return this.state == HolderState.SILENT;
		}

	}

	/**
	 * How sure it is that someone holds a lock.
	 */
	enum HolderState {

		/** The instance reports it, or the backend has it. */
		KNOWN,
		/** The backend has it, and the instance does not answer. */
		SILENT,
		/** It was so when the instance was last heard of. */
		OUTDATED,
		/** The backend has it, and the instance reports that it has released it. */
		UNCLAIMED

	}

	/**
	 * The requests of an instance.
	 *
	 * @param instance the instance, or {@code null} of those that only the backend knows
	 * @param requests how many requests wait
	 * @param longestMillis for how long the first has waited
	 * @param waiters those that have waited longest, the longest first
	 */
	record InstanceWait(@Nullable String instance, int requests, long longestMillis,
			List<InstanceReport.Waiter> waiters) {
	}

}
