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
 * Assertions about the locks that an action acquired. The actual value is the list of
 * granted requests.
 */
public final class LockedAssert extends AbstractAssert<LockedAssert, List<LockRequest>> {

	private final LockRecording recording;

	private final List<RecordedRequest> granted;

	private final List<RecordedRequest> refused;

	LockedAssert(LockRecording recording) {
		this(recording, recording.own());
	}

	private LockedAssert(LockRecording recording, List<RecordedRequest> requested) {
		this(recording, requested, requested.stream().filter(RecordedRequest::isGranted).toList());
	}

	private LockedAssert(LockRecording recording, List<RecordedRequest> requested, List<RecordedRequest> granted) {
		super(granted.stream().map(RecordedRequest::request).toList(), LockedAssert.class);
		this.recording = recording;
		this.granted = granted;
		this.refused = requested.stream().filter((request) -> !granted.contains(request)).toList();
	}

	/**
	 * Returns assertions about the locks that all threads of this JVM acquired while the
	 * action ran, for example those of a server that the action calls. Locks of tests
	 * that run at the same time count as well.
	 * @return assertions about the locks of all threads
	 */
	public LockedAssert onAnyThread() {
		return new LockedAssert(this.recording, this.recording.all()).as(descriptionText());
	}

	/**
	 * Verifies that the action held these locks, possibly among others.
	 * @param names the names of the locks
	 * @return these assertions
	 */
	public LockedAssert holds(String... names) {
		if (names.length == 0) {
			throw new IllegalArgumentException("Pass the name of a lock, or call holdsNothing()");
		}
		for (String name : names) {
			verify("lock '" + name + "'", (request) -> request.name().equals(name));
		}
		return this;
	}

	/**
	 * Verifies that the action held a lock of a type.
	 * @param name the lock's name
	 * @param type the type
	 * @return these assertions
	 */
	public LockedAssert holds(String name, LockType type) {
		return verify("lock '%s' as %s".formatted(name, type),
				(request) -> request.name().equals(name) && request.type() == type);
	}

	/**
	 * Verifies that the action held one of the permits of a lock.
	 * @param name the lock's name
	 * @param permits the maximum number of concurrent holders
	 * @return these assertions
	 */
	public LockedAssert holdsPermit(String name, int permits) {
		return verify(String.format(Locale.ROOT, "one of %d permits of lock '%s'", permits, name),
				(request) -> request.name().equals(name) && request.permits() == permits);
	}

	/**
	 * Verifies that the action held these locks and no others.
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
	 * Verifies that the action held no lock.
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
			text.append(" It requested none: a method is locked only if it is called through its Spring bean.");
		}
		if (!this.refused.isEmpty()) {
			text.append("%nIt requested, but did not acquire:".formatted());
			list(text, this.refused.stream().map(RecordedRequest::describeRefusal));
		}
		List<RecordedRequest> others = notCounted();
		if (!others.isEmpty()) {
			text.append("%nOther threads held these locks, which onAnyThread() counts:".formatted());
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
