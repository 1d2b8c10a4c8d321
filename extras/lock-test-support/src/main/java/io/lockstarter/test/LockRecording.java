package io.lockstarter.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.core.LockRequest;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Requests to registries while an action runs. Thread-safe.
 */
final class LockRecording {

	private final Thread thread = Thread.currentThread();

	private final List<RecordedRequest> requests = new CopyOnWriteArrayList<>();

	private LockRecording() {
	}

	/**
	 * Runs an action on the calling thread, and records the requests of all threads.
	 */
	static LockRecording of(ThrowingCallable action) throws Throwable {
		LockRecording recording = new LockRecording();
		LockRecorder.start(recording);
		try {
			action.call();
		}
		finally {
			LockRecorder.stop(recording);
		}
		return recording;
	}

	RecordedRequest requested(LockRequest request) {
		RecordedRequest recorded = new RecordedRequest(request);
		this.requests.add(recorded);
		return recorded;
	}

	/** Returns the requests of the action's thread. */
	List<RecordedRequest> own() {
		return this.requests.stream().filter((request) -> request.isOf(this.thread)).toList();
	}

	/** Returns the requests of other threads while the action ran. */
	List<RecordedRequest> others() {
		return this.requests.stream().filter((request) -> !request.isOf(this.thread)).toList();
	}

	/** Returns the requests of all threads. */
	List<RecordedRequest> all() {
		return List.copyOf(this.requests);
	}

}
