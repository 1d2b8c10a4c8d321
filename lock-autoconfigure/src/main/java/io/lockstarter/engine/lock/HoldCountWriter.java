package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Writer of a tenure's hold count to the backend, with one write in flight at a time and
 * no waiting caller. A count that changes back at once is not written. Thread-safe.
 */
final class HoldCountWriter {

	/** Delay before a changed count is written: 1 ms. */
	private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Tenure tenure;

	private final Commands commands;

	private final Timer timer;

	private final Runnable onNotOwned;

	private int written = 1;

	private boolean writing;

	private Timer.@Nullable Task task;

	/**
	 * Creates a writer.
	 * @param onNotOwned is called if the backend does not know the tenure
	 */
	HoldCountWriter(Tenure tenure, Commands commands, Timer timer, Runnable onNotOwned) {
		this.tenure = tenure;
		this.commands = commands;
		this.timer = timer;
		this.onNotOwned = onNotOwned;
	}

	synchronized void countChanged() {
		if (this.task == null && !this.writing && mustWrite()) {
			this.task = this.timer.in(DELAY_NANOS, this::write);
		}
	}

	private boolean mustWrite() {
		return !this.tenure.lease().hasEnded() && this.written != this.tenure.count();
	}

	/** Stops writing, because the tenure has ended. */
	synchronized void end() {
		if (this.task != null) {
			this.task.cancel();
			this.task = null;
		}
	}

	private void write() {
		LockBackend.Renew command = nextWrite();
		if (command != null) {
			Commands.onReply(this.commands.renew(command, this.tenure.lease().time()), this::replied);
		}
	}

	private synchronized LockBackend.@Nullable Renew nextWrite() {
		this.task = null;
		if (!mustWrite()) {
			return null;
		}
		this.writing = true;
		this.written = this.tenure.count();
		return new LockBackend.Renew(this.tenure.name(), this.tenure.id(), this.written, Duration.ZERO);
	}

	private void replied(@Nullable RenewalReply verdict, @Nullable Throwable failure) {
		synchronized (this) {
			this.writing = false;
			countChanged();
		}
		if (verdict != null && !verdict.held()) {
			this.onNotOwned.run();
		}
	}

}
