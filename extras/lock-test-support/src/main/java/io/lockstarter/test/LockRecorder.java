package io.lockstarter.test;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Observer that reports the requests to a registry to all active recordings. Thread-safe.
 */
final class LockRecorder implements LockObserver, AutoCloseable {

	/** Recorders whose registries are in use. */
	private static final Set<LockRecorder> OPEN = ConcurrentHashMap.newKeySet();

	private static final List<LockRecording> RECORDINGS = new CopyOnWriteArrayList<>();

	LockRecorder() {
		OPEN.add(this);
	}

	/** Returns whether any registry is recorded. */
	static boolean isAnyOpen() {
		return !OPEN.isEmpty();
	}

	static void start(LockRecording recording) {
		RECORDINGS.add(recording);
	}

	static void stop(LockRecording recording) {
		RECORDINGS.remove(recording);
	}

	@Override
	public @Nullable Wait requested(LockRequest request) {
		List<RecordedRequest> recorded = RECORDINGS.stream().map((recording) -> recording.requested(request)).toList();
		return recorded.isEmpty() ? null : new RecordedWait(recorded);
	}

	@Override
	public void close() {
		OPEN.remove(this);
	}

	/**
	 * Wait whose outcome is noted in all recordings.
	 */
	private record RecordedWait(List<RecordedRequest> requests) implements Wait {

		@Override
		public @Nullable Span acquired(LockHandle lock) {
			this.requests.forEach(RecordedRequest::granted);
			return null;
		}

		@Override
		public void notAcquired(LockListener.Outcome outcome, @Nullable Throwable cause) {
			this.requests.forEach((request) -> request.refused(outcome));
		}

	}

}
