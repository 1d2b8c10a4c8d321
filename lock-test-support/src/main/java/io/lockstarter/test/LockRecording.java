package io.lockstarter.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.core.LockRequest;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * What is asked of registries while an action runs. Thread-safe.
 */
final class LockRecording {

	private final Thread thread = Thread.currentThread();

	private final List<RecordedRequest> requests = new CopyOnWriteArrayList<>();

	private LockRecording() {
	}

	/**
	 * Run an action on the calling thread and record it.
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

	/** What the thread of the action asked for. */
	List<RecordedRequest> own() {
		return this.requests.stream().filter((request) -> request.isOf(this.thread)).toList();
	}

	/** What other threads asked for meanwhile. */
	List<RecordedRequest> others() {
		return this.requests.stream().filter((request) -> !request.isOf(this.thread)).toList();
	}

	/** What all threads asked for. */
	List<RecordedRequest> all() {
		return List.copyOf(this.requests);
	}

}
