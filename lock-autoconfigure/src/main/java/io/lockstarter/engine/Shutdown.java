package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lock.Hold;
import io.lockstarter.engine.lock.LockTable;
import io.lockstarter.logging.LockLog;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Shutdown of a registry. Holders may finish, waiting requests are refused, and locks
 * that are only held until a minimum time has passed expire soon.
 */
final class Shutdown {

	private static final LockLog logger = LockLog.of(Shutdown.class);

	/**
	 * Interval between checks for requests that would outlast the shutdown, and minimum
	 * time that they wait: 1 s.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final LockTable locks;

	private final Commands commands;

	private final Timer timer;

	private final Consumer<Hold> release;

	private final BlockedHolders blocked = new BlockedHolders();

	private volatile boolean begun;

	/** True if a lock was held recently while the shutdown was under way. */
	private volatile boolean used;

	private volatile Timer.@Nullable Task longestWait;

	/**
	 * Creates the shutdown of a registry.
	 * @param release releases one entry of a hold, on any thread
	 */
	Shutdown(LockTable locks, Commands commands, Timer timer, Consumer<Hold> release) {
		this.locks = locks;
		this.commands = commands;
		this.timer = timer;
		this.release = release;
	}

	/** Sets the thread that closes the application. */
	void closedBy(Thread thread) {
		this.blocked.closedBy(thread);
	}

	/** Records that a lock was granted. */
	void granted() {
		if (this.begun) {
			this.used = true;
		}
	}

	/**
	 * Begins to record whether locks are used, refuses requests that would outlast the
	 * shutdown, and stops granting locks after a while.
	 */
	void begin(Duration longest) {
		this.begun = true;
		this.longestWait = this.timer.in(longest.toNanos(), this.locks::close);
		refuseStandbys(System.nanoTime() + longest.toNanos());
		if (this.locks.isAtWork(this::isAwaited)) {
			this.used = true;
		}
	}

	/**
	 * Refuses, once a second, requests for locks that another instance may hold for as
	 * long as it runs. A request with a shorter wait time may still acquire its lock,
	 * because other components such as the web server may wait for its work.
	 */
	private void refuseStandbys(long end) {
		this.locks.refuseWaiting((waiter) -> waiter.remainingNanos() > end - System.nanoTime()
				&& waiter.waited().compareTo(PATIENCE) >= 0);
		if (!this.locks.isClosed()) {
			this.timer.in(PATIENCE.toNanos(), () -> refuseStandbys(end));
		}
	}

	/**
	 * Waits until no lock has been held for a while. Refuses requests that wait for other
	 * holders in the meantime. Returns at once if no lock was held since the shutdown
	 * began.
	 */
	void awaitQuiet(Duration quiet, Duration longest) throws InterruptedException {
		long deadline = System.nanoTime() + longest.toNanos();
		while (this.locks.await(this::isUnused, deadline) && this.used && System.nanoTime() - deadline < 0) {
			this.used = false;
			this.locks.awaitEnd(System.nanoTime() + Math.min(quiet.toNanos(), deadline - System.nanoTime()));
		}
	}

	private boolean isUnused() {
		this.locks.refuseWaiting((waiter) -> true);
		releaseWhatIsOver();
		return !this.locks.isAtWork(this::isAwaited);
	}

	/**
	 * Stops granting locks, and waits until every lock is released and the backend has
	 * confirmed the releases. Does not wait for locks that are only held until a minimum
	 * time has passed, because their leases outlast that time.
	 * @return {@code false} if the time was too short
	 */
	boolean awaitHolders(Duration drain) throws InterruptedException {
		this.blocked.closedByCaller();
		this.locks.close();
		return this.locks.await(this::isIdle, System.nanoTime() + drain.toNanos());
	}

	private boolean isIdle() {
		releaseWhatIsOver();
		return this.locks.isIdle(this::isAwaited);
	}

	private boolean isAwaited(Hold hold) {
		return !this.blocked.contains(hold);
	}

	/** Releases the holds of threads that have left their work by {@link System#exit}. */
	private void releaseWhatIsOver() {
		this.locks.forEach((lock) -> lock.holds().stream().filter(this.blocked::isOver).forEach((hold) -> {
			for (int entry = hold.count(); entry > 0; entry--) {
				this.release.accept(hold);
			}
		}));
	}

	/**
	 * Shortens the leases of locks that are only held until a minimum time has passed.
	 * Called after granting and renewing have stopped.
	 */
	void shortenKept() throws InterruptedException {
		List<CompletableFuture<?>> shortened = new ArrayList<>();
		this.locks.forEach((lock) -> lock.left()
			.forEach((tenure) -> shortened.add(this.commands.shortenLease(tenure.name(), tenure.id(),
					tenure.untilDelayedRelease().plus(DefaultLockHandle.LATEST_RELEASE)))));
		try {
			CompletableFuture.allOf(shortened.toArray(CompletableFuture[]::new))
				.get(Commands.LONGEST_NANOS, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Some leases were not shortened; their locks are held until the leases expire", ex);
		}
	}

	/** Stops granting locks. */
	void end() {
		this.locks.close();
		Timer.Task needless = this.longestWait;
		if (needless != null) {
			needless.cancel();
		}
	}

}
