package io.lockstarter.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * A script with what it is called with.
 *
 * @param script the script
 * @param keys the keys, all of one slot
 * @param arguments the arguments
 */
public record ScriptCall(LuaScript script, List<String> keys, List<String> arguments) {

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
