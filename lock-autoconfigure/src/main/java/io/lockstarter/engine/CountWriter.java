package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Writes the absolute hold count of a tenure to the backend, one write at a time and
 * without anybody waiting for it. A count that changes back at once is not written.
 * Thread-safe.
 */
final class CountWriter {

	private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Tenure tenure;

	private int written = 1;

	private boolean writing;

	private Timer.@Nullable Task task;

	CountWriter(Tenure tenure) {
		this.tenure = tenure;
	}

	synchronized void countChanged() {
		if (this.task == null && !this.writing && mustWrite()) {
			this.task = this.tenure.lock().engine().timer().in(DELAY_NANOS, this::write);
		}
	}

	private boolean mustWrite() {
		return !this.tenure.hasEnded() && this.written != this.tenure.count();
	}

	/** The tenure has ended. */
	synchronized void end() {
		if (this.task != null) {
			this.task.cancel();
			this.task = null;
		}
	}

	private void write() {
		LockBackend.Renew command = nextWrite();
		if (command != null) {
			Commands.answer(this.tenure.lock().engine().commands().renew(command, this.tenure.leaseTime()),
					this::answered);
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

	private void answered(@Nullable Verdict verdict, @Nullable Throwable failure) {
		synchronized (this) {
			this.writing = false;
			countChanged();
		}
		if (verdict != null && !verdict.held()) {
			this.tenure.lock().lose(this.tenure, LockLoss.Reason.NOT_OWNED);
		}
	}

}
