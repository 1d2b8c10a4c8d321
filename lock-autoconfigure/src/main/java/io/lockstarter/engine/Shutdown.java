package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.command.Timer;
import io.lockstarter.engine.lock.LockTable;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * The end of a registry: those who hold locks may finish, those who keep them let go
 * soon.
 */
final class Shutdown {

	private static final LockLog logger = LockLog.of(Shutdown.class);

	private final LockTable locks;

	private final Commands commands;

	private final Timer timer;

	/** The end is near: it is noted whether locks are still asked for. */
	private volatile boolean begun;

	private volatile boolean asked;

	private volatile Timer.@Nullable Task longestWait;

	Shutdown(LockTable locks, Commands commands, Timer timer) {
		this.locks = locks;
		this.commands = commands;
		this.timer = timer;
	}

	/** A lock is asked for. */
	void asked() {
		if (this.begun) {
			this.asked = true;
		}
	}

	/**
	 * From now on it is noted whether anybody uses locks, and in a while none is granted
	 * any more.
	 */
	void begin(Duration longest) {
		this.begun = true;
		this.longestWait = this.timer.in(longest.toNanos(), this.locks::close);
		if (this.locks.isBusy()) {
			this.asked = true;
		}
	}

	/**
	 * Wait until nobody uses locks any more: none is held or waited for, nor has been
	 * asked for in a while. Returns at once if nobody has since the end has begun.
	 */
	void awaitQuiet(Duration quiet, Duration longest) throws InterruptedException {
		long deadline = System.nanoTime() + longest.toNanos();
		while (this.asked) {
			this.asked = false;
			long remaining = deadline - System.nanoTime();
			if (remaining <= 0 || !this.locks.awaitIdle(Duration.ofNanos(remaining))) {
				return;
			}
			this.locks.awaitEnd(System.nanoTime() + Math.min(quiet.toNanos(), deadline - System.nanoTime()));
		}
	}

	/**
	 * Let locks that are only kept for some more time end soon after that, and not with
	 * their leases. Nothing may be granted or renewed any more.
	 */
	void shortenKept() throws InterruptedException {
		List<CompletableFuture<?>> told = new ArrayList<>();
		this.locks.forEach((lock) -> lock.left()
			.forEach((tenure) -> told.add(this.commands.shortenLease(tenure.name(), tenure.id(),
					tenure.keptFor().plus(DefaultLockHandle.LATEST_RELEASE)))));
		try {
			CompletableFuture.allOf(told.toArray(CompletableFuture[]::new))
				.get(Commands.LONGEST_NANOS, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Some locks that are kept end only with their leases", ex);
		}
	}

	/** Grant no more locks. */
	void end() {
		this.locks.close();
		Timer.Task needless = this.longestWait;
		if (needless != null) {
			needless.cancel();
		}
	}

}
