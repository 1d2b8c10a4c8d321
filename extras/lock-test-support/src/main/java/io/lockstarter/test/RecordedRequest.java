package io.lockstarter.test;

import java.util.Locale;

import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;
import org.jspecify.annotations.Nullable;

/**
 * Request with its outcome. Thread-safe.
 */
final class RecordedRequest {

	private final LockRequest request;

	private final Thread thread = Thread.currentThread();

	private volatile boolean granted;

	private volatile LockListener.@Nullable Outcome refusal;

	/**
	 * Creates a record of a request of the calling thread.
	 */
	RecordedRequest(LockRequest request) {
		this.request = request;
	}

	LockRequest request() {
		return this.request;
	}

	boolean isOf(Thread thread) {
		return this.thread == thread;
	}

	boolean isGranted() {
		return this.granted;
	}

	void granted() {
		this.granted = true;
	}

	void refused(LockListener.Outcome outcome) {
		this.refusal = outcome;
	}

	/** Returns the lock and its options, as text for messages. */
	String describe() {
		LockRequest request = this.request;
		StringBuilder text = new StringBuilder("'").append(OneLine.of(request.name()))
			.append("' (")
			.append(request.type());
		if (request.permits() > 1) {
			text.append(", one of ").append(request.permits()).append(" permits");
		}
		text.append((request.leaseTime() != null) ? ", leaseTime " + request.leaseTime() : ", renewed");
		if (request.registry() != null) {
			text.append(", registry ").append(request.registry());
		}
		return text.append(")").toString();
	}

	/** Returns the lock and the reason why it was not acquired. */
	String describeRefusal() {
		LockListener.Outcome outcome = this.refusal;
		return describe() + ": " + ((outcome != null) ? outcome.name().toLowerCase(Locale.ROOT) : "still waiting");
	}

	/** Returns the lock, its options and the requesting thread. */
	String describeWithThread() {
		return describe() + " on thread '" + this.thread.getName() + "'";
	}

}
