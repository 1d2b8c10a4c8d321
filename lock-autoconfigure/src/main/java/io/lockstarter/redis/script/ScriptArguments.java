package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Arguments of a script that concerns one tenure. The library file {@code arguments.lua}
 * documents them. Not thread-safe.
 */
final class ScriptArguments {

	private static final int REPEATED = 6;

	private static final int COUNT = 17;

	private final String[] values = new String[COUNT];

	/** Creates arguments that identify a tenure. */
	ScriptArguments(String client, long sequence, String retention) {
		Arrays.fill(this.values, "");
		set(1, client);
		set(2, Long.toString(sequence));
		set(4, retention);
	}

	/** Returns the given arguments, marked as those of a call that was sent before. */
	static List<String> repeated(List<String> arguments) {
		List<String> changed = new ArrayList<>(arguments);
		while (changed.size() < REPEATED) {
			changed.add("");
		}
		changed.set(REPEATED - 1, "a");
		return changed;
	}

	private ScriptArguments set(int number, String value) {
		this.values[number - 1] = value;
		return this;
	}

	ScriptArguments lease(Duration lease) {
		return set(3, Long.toString(lease.toMillis()));
	}

	ScriptArguments holder(String holder) {
		return set(5, holder);
	}

	ScriptArguments waitMode(String mode) {
		return set(7, mode);
	}

	ScriptArguments position(long position) {
		return set(8, Long.toString(position));
	}

	/** Sets the time that a fair request has waited. */
	ScriptArguments waited(Duration waited) {
		return set(9, Long.toString(waited.toNanos() / 1000));
	}

	ScriptArguments mode(String mode) {
		return set(10, mode);
	}

	ScriptArguments permits(int permits) {
		return set(10, Integer.toString(permits));
	}

	/** Sets the next step of a client that ends a tenure. */
	ScriptArguments next(String step) {
		return set(11, step);
	}

	/** Makes the end of the tenure leave a tombstone. */
	ScriptArguments tombstone() {
		return set(12, "m");
	}

	/** Says that PUBLISH counts only the receivers on one node. */
	ScriptArguments cluster() {
		return set(13, "c");
	}

	/**
	 * Sets the first token base that the client of a quorum proposes or restores.
	 * @param base the base
	 * @param reach the maximum difference between the base and the server's clock, in
	 * milliseconds
	 */
	ScriptArguments base(long base, String reach) {
		return set(14, Long.toString(base)).set(15, reach);
	}

	/** Permits that a lower base is raised that was granted to the tenure before. */
	ScriptArguments raise() {
		return set(16, "y");
	}

	ScriptArguments holds(int count) {
		return set(17, Integer.toString(count));
	}

	/** Returns the arguments without the empty ones at the end. */
	List<String> toList() {
		int count = COUNT;
		while (this.values[count - 1].isEmpty()) {
			count--;
		}
		return List.of(Arrays.copyOf(this.values, count));
	}

}
