package io.lockstarter.test;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about the locks that an action took, which are the requests that were
 * granted.
 */
public final class LockedAssert extends AbstractAssert<LockedAssert, List<LockRequest>> {

	private final LockRecording recording;

	private final List<RecordedRequest> granted;

	private final List<RecordedRequest> refused;

	LockedAssert(LockRecording recording) {
		this(recording, recording.own());
	}

	private LockedAssert(LockRecording recording, List<RecordedRequest> asked) {
		this(recording, asked, asked.stream().filter(RecordedRequest::isGranted).toList());
	}

	private LockedAssert(LockRecording recording, List<RecordedRequest> asked, List<RecordedRequest> granted) {
		super(granted.stream().map(RecordedRequest::request).toList(), LockedAssert.class);
		this.recording = recording;
		this.granted = granted;
		this.refused = asked.stream().filter((request) -> !granted.contains(request)).toList();
	}

	/**
	 * Count what all threads of this JVM took while the action ran, as a server does that
	 * the action calls. Tests that run at the same time count as well then.
	 * @return assertions about the locks of all threads
	 */
	public LockedAssert onAnyThread() {
		return new LockedAssert(this.recording, this.recording.all()).as(descriptionText());
	}

	/**
	 * Verify that the action held these locks, perhaps among others.
	 * @param names the names of the locks
	 * @return these assertions
	 */
	public LockedAssert holds(String... names) {
		if (names.length == 0) {
			throw new IllegalArgumentException("Name a lock, or say holdsNothing()");
		}
		for (String name : names) {
			verify("lock '" + name + "'", (request) -> request.name().equals(name));
		}
		return this;
	}

	/**
	 * Verify that the action held a lock in a certain way.
	 * @param name the lock's name
	 * @param type how it excluded others
	 * @return these assertions
	 */
	public LockedAssert holds(String name, LockType type) {
		return verify("lock '%s' as %s".formatted(name, type),
				(request) -> request.name().equals(name) && request.type() == type);
	}

	/**
	 * Verify that the action held one of the permits of a lock.
	 * @param name the lock's name
	 * @param permits how many may hold it at a time
	 * @return these assertions
	 */
	public LockedAssert holdsPermit(String name, int permits) {
		return verify(String.format(Locale.ROOT, "one of %d permits of lock '%s'", permits, name),
				(request) -> request.name().equals(name) && request.permits() == permits);
	}

	/**
	 * Verify that the action held these locks, and no others.
	 * @param names the names of the locks
	 * @return these assertions
	 */
	public LockedAssert holdsOnly(String... names) {
		Set<String> expected = new TreeSet<>(List.of(names));
		Set<String> held = held().stream().map(LockRequest::name).collect(Collectors.toCollection(TreeSet::new));
		if (!held.equals(expected)) {
			String text = expected.stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
			throw failure("%s", report(names.length == 0 ? "no lock" : "only " + text));
		}
		return this;
	}

	/**
	 * Verify that the action held no lock.
	 * @return these assertions
	 */
	public LockedAssert holdsNothing() {
		if (!held().isEmpty()) {
			throw failure("%s", report("no lock"));
		}
		return this;
	}

	private LockedAssert verify(String expected, Predicate<LockRequest> condition) {
		if (held().stream().noneMatch(condition)) {
			throw failure("%s", report(expected));
		}
		return this;
	}

	private List<LockRequest> held() {
		return Objects.requireNonNull(this.actual);
	}

	private String report(String expected) {
		StringBuilder text = new StringBuilder("Expected the action to hold " + expected);
		text.append(this.granted.isEmpty() ? ", but it held none." : ", but it held:");
		list(text, this.granted.stream().map(RecordedRequest::describe));
		if (this.granted.isEmpty() && this.refused.isEmpty()) {
			text.append(" It asked for none: a method is locked only where it is called through its Spring bean.");
		}
		if (!this.refused.isEmpty()) {
			text.append("%nIt asked for, but did not get:".formatted());
			list(text, this.refused.stream().map(RecordedRequest::describeRefusal));
		}
		List<RecordedRequest> others = notCounted();
		if (!others.isEmpty()) {
			text.append("%nOther threads held meanwhile, which onAnyThread() counts:".formatted());
			list(text, others.stream().map(RecordedRequest::describeWithThread));
		}
		return text.toString();
	}

	private List<RecordedRequest> notCounted() {
		return this.recording.others()
			.stream()
			.filter((request) -> request.isGranted() && !this.granted.contains(request))
			.toList();
	}

	private static void list(StringBuilder text, Stream<String> lines) {
		lines.forEach((line) -> text.append("%n  %s".formatted(line)));
	}

}
