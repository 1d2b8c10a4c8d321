package io.lockstarter.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reply of a script, with values by index.
 *
 * @param values the values as the client library returns them
 */
public record Reply(List<Object> values) {

	public int size() {
		return this.values.size();
	}

	public boolean isNumber(int index) {
		return this.values.get(index) instanceof Long;
	}

	public String text(int index) {
		Object value = this.values.get(index);
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(value);
	}

	public long number(int index) {
		return (this.values.get(index) instanceof Long number) ? number : Long.parseLong(text(index));
	}

}
