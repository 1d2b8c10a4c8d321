package io.lockstarter.redis.script;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.core.backend.LockBackend.Acquire;

/**
 * Label of a holder as stored in Redis. An asterisk and the number of permits precede the
 * label if the holder has one of several permits, or if the label itself begins with an
 * asterisk.
 *
 * @param label the label
 * @param permits the number of permits of the lock, or 1
 */
record PermitLabel(String label, int permits) {

	private static final Pattern NUMBERED = Pattern.compile("\\*(\\d{1,10}) (.*)", Pattern.DOTALL);

	/** Returns the text for a request. */
	static String of(Acquire command) {
		String label = command.holder();
		return (command.isPermit() || label.startsWith("*"))
				? String.format(Locale.ROOT, "*%d %s", command.permits(), label) : label;
	}

	static PermitLabel parse(String text) {
		Matcher numbered = NUMBERED.matcher(text);
		return numbered.matches() ? new PermitLabel(numbered.group(2), (int) Long.parseLong(numbered.group(1)))
				: new PermitLabel(text, 1);
	}

}
