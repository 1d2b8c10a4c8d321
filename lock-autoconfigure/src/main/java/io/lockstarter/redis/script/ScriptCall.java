package io.lockstarter.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * Script with its keys and arguments.
 *
 * @param script the script
 * @param keys the keys, all of one slot
 * @param arguments the arguments
 * @param marksRepeats whether an argument says that the call was sent before
 */
public record ScriptCall(LuaScript script, List<String> keys, List<String> arguments, boolean marksRepeats) {

	/** Creates a call that may be repeated unchanged. */
	public ScriptCall(LuaScript script, List<String> keys, List<String> arguments) {
		this(script, keys, arguments, false);
	}

	/** Returns the call to send if it was, or may have been, sent before. */
	public ScriptCall repeated() {
		if (!this.marksRepeats) {
			return this;
		}
		return new ScriptCall(this.script, this.keys, ScriptArguments.repeated(this.arguments), true);
	}

	/** Returns the commands, with their keys, that an error of Redis may concern. */
	public List<String> commandsAt(String error) {
		return this.script.commandsAt(error, this.keys);
	}

	/** Returns the key that determines the node. */
	public String key() {
		return this.keys.get(0);
	}

	/** Returns the keys, followed by the arguments. */
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
