package io.lockstarter.verification.history.recording;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lockstarter.core.LockType;
import io.lockstarter.verification.history.recording.Grant.GrantKind;

/**
 * Reader of the history of a JVM, which may end anywhere if the JVM was killed.
 */
public final class HistoryReader {

	private final JvmHistory history;

	private final Map<Long, Hold> byId = new HashMap<>();

	private final Map<Name, Hold> byName = new HashMap<>();

	/** Pending request of each thread. */
	private final Map<String, Attempt> pending = new HashMap<>();

	/** Reports by other threads that precede the grant of their hold. */
	private final Map<Name, List<String[]>> early = new HashMap<>();

	private HistoryReader(int jvm) {
		this.history = new JvmHistory(jvm);
	}

	/**
	 * Reads a history.
	 * @param jvm the number of the JVM
	 * @param file the file, which counts as empty if it does not exist
	 * @return the history
	 * @throws IOException if the file cannot be read
	 * @throws IllegalStateException if a line other than the last one makes no sense
	 */
	public static JvmHistory read(int jvm, Path file) throws IOException {
		HistoryReader reader = new HistoryReader(jvm);
		if (Files.exists(file)) {
			reader.readAll(file);
			reader.history.attempts().addAll(reader.pending.values());
		}
		return reader.history;
	}

	private void readAll(Path file) throws IOException {
		try (BufferedReader lines = Files.newBufferedReader(file)) {
			StringBuilder line = new StringBuilder();
			int c;
			while ((c = lines.read()) >= 0) {
				if (c == '\n') {
					read(file, line.toString());
					line.setLength(0);
				}
				else {
					line.append((char) c);
				}
			}
			// An incomplete last line is ignored
		}
	}

	private void read(Path file, String line) {
		try {
			accept(line);
		}
		catch (RuntimeException ex) {
			throw new IllegalStateException("%s has the line '%s'".formatted(file, line), ex);
		}
	}

	private void accept(String line) {
		String[] fields = line.split(" ");
		switch (Line.of(line.charAt(0))) {
			case OPENED -> this.history.clients().put(fields[1], Hold.NEVER);
			case CLOSING -> this.history.clients().put(fields[1], Long.parseLong(fields[2]));
			case REQUESTED -> this.pending.put(fields[1], new Attempt(this.history.jvm(), fields[1].intern(),
					Long.parseLong(fields[2]), Long.parseLong(fields[3]), Hold.NEVER));
			case COMPLETED -> completed(fields);
			case GRANTED -> granted(fields);
			case EXTENDED, LOST -> reported(fields);
			case LEAVING -> leaving(fields);
			case RELEASED -> released(fields);
			case MISSED -> this.history.misses()
				.add(new Miss(Integer.parseInt(fields[1]), fields[2], LockType.valueOf(fields[3]),
						Long.parseLong(fields[4]), Long.parseLong(fields[5]), fields[6]));
			case STALLED -> this.history.stalls().add(span(fields));
			case BLOCKED -> this.history.blocks().add(span(fields));
			case ANOMALY -> this.history.anomalies().add(line.substring(2));
		}
	}

	private static Span span(String[] fields) {
		return new Span(Long.parseLong(fields[1]), Long.parseLong(fields[2]));
	}

	private void completed(String[] fields) {
		Attempt attempt = this.pending.remove(fields[1]);
		if (attempt == null) {
			throw new IllegalStateException("%s has no pending request".formatted(fields[1]));
		}
		this.history.attempts().add(attempt.completed(Long.parseLong(fields[2])));
	}

	private void granted(String[] fields) {
		Grant grant = new Grant(Integer.parseInt(fields[1]), Long.parseLong(fields[2]), fields[3].intern(),
				LockType.valueOf(fields[4]), fields[5].intern(), Long.parseLong(fields[6]), Long.parseLong(fields[7]),
				Long.parseLong(fields[8]), Long.parseLong(fields[9]), GrantKind.valueOf(fields[10]),
				Integer.parseInt(fields[11]));
		Hold hold = new Hold(grant);
		Name name = new Name(grant.key(), grant.type(), grant.token());
		this.history.holds().add(hold);
		this.byId.put(grant.id(), hold);
		this.byName.put(name, hold);
		List<String[]> reports = this.early.remove(name);
		if (reports != null) {
			reports.forEach(this::reported);
		}
	}

	private void reported(String[] fields) {
		Name name = new Name(fields[1], LockType.valueOf(fields[2]), Long.parseLong(fields[3]));
		Hold hold = this.byName.get(name);
		if (hold == null) {
			this.early.computeIfAbsent(name, (key) -> new ArrayList<>(1)).add(fields);
		}
		else if (fields[0].charAt(0) == Line.LOST.code()) {
			hold.lost(Long.parseLong(fields[4]), fields[5].intern());
		}
		else {
			hold.extended(Long.parseLong(fields[4]));
		}
	}

	private void leaving(String[] fields) {
		Hold hold = hold(fields[1]);
		hold.leaving(Long.parseLong(fields[2]), Visit.of(fields[3]));
		hold.extended(Long.parseLong(fields[4]));
	}

	private void released(String[] fields) {
		Hold hold = hold(fields[1]);
		hold.released(Long.parseLong(fields[2]), ReleaseOutcome.valueOf(fields[3]));
		this.byId.remove(hold.grant().id());
		if (hold.loss() != Hold.NEVER || hold.outcome() == ReleaseOutcome.RELEASED) {
			this.byName.remove(new Name(hold.grant().key(), hold.grant().type(), hold.grant().token()));
		}
	}

	private Hold hold(String id) {
		Hold hold = this.byId.get(Long.valueOf(id));
		if (hold == null) {
			throw new IllegalStateException("No hold has the number " + id);
		}
		return hold;
	}

	/**
	 * Identity of a hold for Redis and for listeners.
	 */
	private record Name(String key, LockType type, long token) {
	}

}
