package io.lockstarter.verification.history.worker;

import java.util.concurrent.locks.LockSupport;

import io.lockstarter.verification.history.recording.Recorder;
import io.lockstarter.verification.history.recording.Span;

/**
 * Detector of stalls, in which threads of this JVM do not run: the JVM is stopped,
 * collects garbage, or has no processor. Delays during a stall are not caused by the
 * locks. A loss is reported by a timer thread and possibly by a new thread, so the
 * detector measures both.
 */
final class StallMeter {

	private static final long PERIOD_NANOS = 10_000_000;

	/** Delay from which a stall is recorded: 15 ms. */
	private static final long STALL_NANOS = 15_000_000;

	private final Recorder recorder;

	private StallMeter(Recorder recorder) {
		this.recorder = recorder;
	}

	static void start(Recorder recorder) {
		StallMeter meter = new StallMeter(recorder);
		daemon("stall-meter", meter::measure);
	}

	private void measure() {
		while (true) {
			long due = System.nanoTime() + PERIOD_NANOS;
			LockSupport.parkNanos(PERIOD_NANOS);
			daemon("stall-probe", () -> arrived(due));
		}
	}

	private void arrived(long due) {
		long now = System.nanoTime();
		if (now - due > STALL_NANOS) {
			this.recorder.stalled(new Span(due, now));
		}
	}

	private static void daemon(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

}
