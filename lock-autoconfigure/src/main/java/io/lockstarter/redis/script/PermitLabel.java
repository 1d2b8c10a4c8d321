package io.lockstarter.redis.script;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.core.backend.LockBackend.Acquire;

/**
 * The text by which Redis knows a holder: its label; after an asterisk and the number of
 * permits if it has one of several, or if its label begins with an asterisk itself.
 *
 * @param label the label
 * @param permits how many permits there are, or 1
 */
record PermitLabel(String label, int permits) {

	private static final Pattern NUMBERED = Pattern.compile("\\*(\\d{1,10}) (.*)", Pattern.DOTALL);

	/** The text of one who asks. */
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
