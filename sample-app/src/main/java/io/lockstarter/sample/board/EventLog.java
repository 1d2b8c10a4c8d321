package io.lockstarter.sample.board;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.lockstarter.core.LockHandle;
import io.lockstarter.sample.board.Event.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * The latest events of this instance. Thread-safe.
 */
@Component
class EventLog {

	private static final int LENGTH = 30;

	private final Deque<Event> events = new ArrayDeque<>();

	private long count;

	void add(Kind kind, LockHandle lock, String text) {
		add(kind, lock.name(), Long.toString(lock.fencingToken()), text);
	}

	synchronized void add(Kind kind, String lock, @Nullable String token, String text) {
		if (this.events.size() == LENGTH) {
			this.events.removeFirst();
		}
		this.count++;
		this.events.addLast(new Event(this.count, Instant.now(), kind, lock, token, text));
	}

	synchronized List<Event> latest() {
		return List.copyOf(this.events);
	}

}
