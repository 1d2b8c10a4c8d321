package io.lockstarter.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A script with what it is called with.
 *
 * @param script the script
 * @param keys the keys, all of one slot
 * @param arguments the arguments
 * @param tellsRepeats whether the script is told if it has been sent before
 */
public record ScriptCall(LuaScript script, List<String> keys, List<String> arguments, boolean tellsRepeats) {

	/** Which argument tells that the call has been sent before. */
	private static final int REPEATED = 5;

	/** A call that may be repeated as it is. */
	public ScriptCall(LuaScript script, List<String> keys, List<String> arguments) {
		this(script, keys, arguments, false);
	}

	/** The same call if it has been sent before, or may have been. */
	public ScriptCall repeated() {
		if (!this.tellsRepeats) {
			return this;
		}
		List<String> changed = new ArrayList<>(this.arguments);
		changed.set(REPEATED, "a");
		return new ScriptCall(this.script, this.keys, changed, true);
	}

	/** The commands, with their keys, that an error of Redis may be about. */
	public List<String> commandsAt(String error) {
		return this.script.commandsAt(error, this.keys);
	}

	/** The key that decides which node runs the script. */
	public String key() {
		return this.keys.get(0);
	}

	/** The keys, followed by the arguments. */
	public List<String> keysAndArguments() {
		return Stream.concat(this.keys.stream(), this.arguments.stream()).toList();
	}

	public static byte[][] bytes(List<String> texts) {
		byte[][] bytes = new byte[texts.size()][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = bytes(texts.get(i));
		}
		return bytes;
	}

	public static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
