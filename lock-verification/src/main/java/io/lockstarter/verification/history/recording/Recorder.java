package io.lockstarter.verification.history.recording;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.lockstarter.core.LockType;

/**
 * Appends to the history of a JVM. Every line reaches the file before the method returns,
 * so that a killed JVM leaves all but the line it was at. Thread-safe.
 */
public final class Recorder implements AutoCloseable {

	private final FileOutputStream file;

	/**
	 * Appends to a file.
	 * @param file the file, which is created if there is none
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
	 * A client began to work.
	 * @param clientId its id, by which Redis knows it
	 */
	public void opened(String clientId) {
		append(Line.OPENED, clientId);
	}

	/**
	 * A client is about to be closed while it may hold locks.
	 * @param clientId its id
	 * @param at when
	 */
	public void closing(String clientId, long at) {
		append(Line.CLOSING, clientId, at);
	}

	/**
	 * The calling thread is about to ask for something.
	 * @param at when
	 * @param patience for how long it may be kept waiting, in nanoseconds
	 */
	public void asked(long at, long patience) {
		append(Line.ASKED, Thread.currentThread().getName(), at, patience);
	}

	/**
	 * The calling thread knows how what it asked for has ended.
	 * @param at when
	 */
	public void answered(long at) {
		append(Line.ANSWERED, Thread.currentThread().getName(), at);
	}

	/**
	 * A hold began.
	 * @param grant how
	 */
	public void granted(Grant grant) {
		append(Line.GRANTED, grant.jvm(), grant.id(), grant.key(), grant.type(), grant.thread(), grant.token(),
				grant.invoked(), grant.granted(), grant.deadline(), grant.entry(), grant.permits());
	}

	/**
	 * A lease was renewed or extended.
	 * @param key the lock's name
	 * @param type how the hold excludes others
	 * @param token the hold's token
	 * @param deadline the new local deadline
	 */
	public void extended(String key, LockType type, long token, long deadline) {
		append(Line.EXTENDED, key, type, token, deadline);
	}

	/**
	 * A hold was lost.
	 * @param key the lock's name
	 * @param type how the hold excluded others
	 * @param token the hold's token
	 * @param at when the listener heard of it
	 * @param reason why
	 */
	public void lost(String key, LockType type, long token, long at, String reason) {
		append(Line.LOST, key, type, token, at, reason);
	}

	/**
	 * An owner is about to release.
	 * @param id the number of the hold
	 * @param at when
	 * @param visit what it did before
	 * @param deadline until when the lease lasts as far as is known now
	 */
	public void leaving(long id, long at, Visit visit, long deadline) {
		append(Line.LEAVING, id, at, visit.code(), deadline);
	}

	/**
	 * A release has returned.
	 * @param id the number of the hold
	 * @param at when
	 * @param outcome how
	 */
	public void released(long id, long at, ReleaseOutcome outcome) {
		append(Line.RELEASED, id, at, outcome);
	}

	/**
	 * A request did not get its lock.
	 * @param miss the request
	 */
	public void missed(Miss miss) {
		append(Line.MISSED, miss.jvm(), miss.key(), miss.type(), miss.invoked(), miss.ended(), miss.outcome());
	}

	/**
	 * The JVM got no processor, or collected garbage, or was stopped.
	 * @param stall from when to when
	 */
	public void stalled(Span stall) {
		append(Line.STALLED, stall.begin(), stall.end());
	}

	/**
	 * The listener begins to block, and hears of renewals late.
	 * @param block from when to when
	 */
	public void blocked(Span block) {
		append(Line.BLOCKED, block.begin(), block.end());
	}

	/**
	 * Something happened that must never happen.
	 * @param what what it was
	 */
	public void anomaly(String what) {
		append(Line.ANOMALY, what.replace('\n', '|'));
	}

	private void append(Line line, Object... fields) {
		StringBuilder text = new StringBuilder(96).append(line.code());
		for (Object field : fields) {
			text.append(' ').append(field);
		}
		byte[] bytes = text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
		try {
			// In one call, so that lines of several threads do not mix
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
