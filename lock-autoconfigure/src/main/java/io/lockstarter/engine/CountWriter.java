package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Writes the absolute hold count of a tenure to the backend, one write at a time and
 * without anybody waiting for it. A count that changes back at once is not written. Used
 * under the monitor of the {@link LocalLock}.
 */
final class CountWriter {

	private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Tenure tenure;

	private final LocalLock lock;

	private int written = 1;

	private boolean writing;

	private boolean ended;

	private Timer.@Nullable Task task;

	CountWriter(Tenure tenure) {
		this.tenure = tenure;
		this.lock = tenure.lock();
	}

	void countChanged() {
		if (this.task == null && !this.writing && !this.ended && this.written != this.tenure.count()) {
			this.task = this.lock.engine().timer().in(DELAY_NANOS, this::write);
		}
	}

	void end() {
		this.ended = true;
		if (this.task != null) {
			this.task.cancel();
			this.task = null;
		}
	}

	private void write() {
		LockBackend.Renew command;
		synchronized (this.lock) {
			this.task = null;
			if (this.ended || this.written == this.tenure.count()) {
				return;
			}
			this.writing = true;
			this.written = this.tenure.count();
			command = new LockBackend.Renew(this.tenure.name(), this.tenure.id(), this.written, Duration.ZERO, false);
		}
		this.lock.engine().commands().renew(command, this.tenure.leaseTime(), this::answered);
	}

	private void answered(@Nullable Verdict verdict, @Nullable Throwable failure) {
		synchronized (this.lock) {
			this.writing = false;
			countChanged();
		}
		if (verdict != null && !verdict.held()) {
			this.lock.lose(this.tenure, LockLoss.Reason.NOT_OWNED);
		}
	}

}
