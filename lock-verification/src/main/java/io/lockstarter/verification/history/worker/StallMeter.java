package io.lockstarter.verification.history.worker;

import java.util.concurrent.locks.LockSupport;

import io.lockstarter.verification.history.recording.Recorder;
import io.lockstarter.verification.history.recording.Span;

/**
 * Notices when threads of this JVM do not get to run: it was stopped, collects garbage,
 * or has no processor. What is late then is not the locks' fault. A loss is signalled by
 * a thread that wakes up and another one that it may have to start, so that is what is
 * measured.
 */
final class StallMeter {

	private static final long PERIOD_NANOS = 10_000_000;

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
