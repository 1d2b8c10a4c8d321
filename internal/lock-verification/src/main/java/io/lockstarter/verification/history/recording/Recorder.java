package io.lockstarter.verification.history.recording;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.lockstarter.core.LockType;

/**
 * Recorder of the history of a JVM. Every line reaches the file before the method
 * returns, so that a killed JVM leaves a complete history except for the last line.
 * Thread-safe.
 */
public final class Recorder implements AutoCloseable {

	private final FileOutputStream file;

	/**
	 * Creates a recorder that appends to a file.
	 * @param file the file, which is created if it does not exist
	 */
	public Recorder(Path file) {
		try {
			this.file = new FileOutputStream(file.toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Records that a client was opened.
	 * @param clientId the id of the client in Redis
	 */
	public void opened(String clientId) {
		append(Line.OPENED, clientId);
	}

	/**
	 * Records that a client is about to be closed while it may hold locks.
	 * @param clientId the id of the client
	 * @param at the time
	 */
	public void closing(String clientId, long at) {
		append(Line.CLOSING, clientId, at);
	}

	/**
	 * Records that the calling thread is about to send a request.
	 * @param at the time
	 * @param waitTime the longest wait in nanoseconds
	 */
	public void requested(long at, long waitTime) {
		append(Line.REQUESTED, Thread.currentThread().getName(), at, waitTime);
	}

	/**
	 * Records that the request of the calling thread has completed.
	 * @param at the time
	 */
	public void completed(long at) {
		append(Line.COMPLETED, Thread.currentThread().getName(), at);
	}

	/**
	 * Records the beginning of a hold.
	 * @param grant the grant
	 */
	public void granted(Grant grant) {
		append(Line.GRANTED, grant.jvm(), grant.id(), grant.key(), grant.type(), grant.thread(), grant.token(),
				grant.invoked(), grant.granted(), grant.deadline(), grant.kind(), grant.permits());
	}

	/**
	 * Records that a lease was renewed or extended.
	 * @param key the name of the lock
	 * @param type the type of the lock
	 * @param token the token of the hold
	 * @param deadline the new local deadline
	 */
	public void extended(String key, LockType type, long token, long deadline) {
		append(Line.EXTENDED, key, type, token, deadline);
	}

	/**
	 * Records that a hold was lost.
	 * @param key the name of the lock
	 * @param type the type of the lock
	 * @param token the token of the hold
	 * @param at the time at which the listener was notified
	 * @param reason the reason
	 */
	public void lost(String key, LockType type, long token, long at, String reason) {
		append(Line.LOST, key, type, token, at, reason);
	}

	/**
	 * Records that an owner is about to release a hold.
	 * @param id the number of the hold
	 * @param at the time
	 * @param visit the access to the guarded data before
	 * @param deadline the currently known end of the lease
	 */
	public void leaving(long id, long at, Visit visit, long deadline) {
		append(Line.LEAVING, id, at, visit.code(), deadline);
	}

	/**
	 * Records that a release has returned.
	 * @param id the number of the hold
	 * @param at the time
	 * @param outcome the outcome
	 */
	public void released(long id, long at, ReleaseOutcome outcome) {
		append(Line.RELEASED, id, at, outcome);
	}

	/**
	 * Records a request that did not get its lock.
	 * @param miss the request
	 */
	public void missed(Miss miss) {
		append(Line.MISSED, miss.jvm(), miss.key(), miss.type(), miss.invoked(), miss.ended(), miss.outcome());
	}

	/**
	 * Records that the JVM did not run: it was stopped, collected garbage, or had no
	 * processor.
	 * @param stall the span
	 */
	public void stalled(Span stall) {
		append(Line.STALLED, stall.begin(), stall.end());
	}

	/**
	 * Records that the listener blocks, so that it receives renewals late.
	 * @param block the span
	 */
	public void blocked(Span block) {
		append(Line.BLOCKED, block.begin(), block.end());
	}

	/**
	 * Records an event that must never happen.
	 * @param anomaly the description
	 */
	public void anomaly(String anomaly) {
		append(Line.ANOMALY, anomaly.replace('\n', '|'));
	}

	private void append(Line line, Object... fields) {
		StringBuilder text = new StringBuilder(96).append(line.code());
		for (Object field : fields) {
			text.append(' ').append(field);
		}
		byte[] bytes = text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
		try {
			// A single call keeps lines of several threads apart
			this.file.write(bytes);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.file.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
