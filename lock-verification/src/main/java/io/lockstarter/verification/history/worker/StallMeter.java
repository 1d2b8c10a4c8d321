package io.lockstarter.verification.history.worker;

import java.util.concurrent.locks.LockSupport;

import io.lockstarter.verification.history.recording.Recorder;
import io.lockstarter.verification.history.recording.Span;

/**
 * Notices when this JVM does not get to run: it was stopped, collects garbage, or has no
 * processor. What is late then is not the locks' fault.
 */
final class StallMeter {

	private static final long PERIOD_NANOS = 4_000_000;

	private static final long STALL_NANOS = 15_000_000;

	private StallMeter() {
	}

	static void start(Recorder recorder) {
		Thread thread = new Thread(() -> {
			long last = System.nanoTime();
			while (true) {
				LockSupport.parkNanos(PERIOD_NANOS);
				long now = System.nanoTime();
				if (now - last > STALL_NANOS) {
					recorder.stalled(new Span(last, now));
				}
				last = now;
			}
		}, "stall-meter");
		thread.setDaemon(true);
		thread.start();
	}

}
