package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The access rules that the documentation tells users to give to the locks' user.
 */
final class PublishedRules {

	static final String ADMINISTRATOR = "administrator";

	static final String PASSWORD = "everything";

	private static final Path FOLDER = Path.of("..", "docs", "acl");

	private PublishedRules() {
	}

	/**
	 * The options of a server that gives these rules to whoever does not log in.
	 */
	static List<String> options(String file) {
		String users = "--user default on nopass %s --user %s on >%s ~* &* +@all".formatted(rules(file), ADMINISTRATOR,
				PASSWORD);
		return List.of(users.split(" "));
	}

	private static String rules(String file) {
		try {
			String user = Files.readString(FOLDER.resolve(file)).strip();
			return user.substring(user.indexOf("resetkeys"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What an {@code ACL LOG} tells of clients that did not log in, other than failures
	 * to do so.
	 */
	static List<String> violations(List<?> log) {
		List<String> violations = new ArrayList<>();
		for (Object entry : log) {
			Map<String, String> fields = fields((List<?>) entry);
			if ("default".equals(fields.get("username")) && !"auth".equals(fields.get("reason"))) {
				violations
					.add("%s %s (%s)".formatted(fields.get("reason"), fields.get("object"), fields.get("context")));
			}
		}
		return violations;
	}

	private static Map<String, String> fields(List<?> entry) {
		Map<String, String> fields = new HashMap<>();
		for (int i = 0; i + 1 < entry.size(); i += 2) {
			fields.put(String.valueOf(entry.get(i)), String.valueOf(entry.get(i + 1)));
		}
		return fields;
	}

}
