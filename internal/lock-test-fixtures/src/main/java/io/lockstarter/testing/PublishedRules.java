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
 * Access rules that the documentation recommends for the user of the locks.
 */
final class PublishedRules {

	static final String ADMINISTRATOR = "administrator";

	static final String PASSWORD = "everything";

	private static final Path FOLDER = Checkout.file("docs", "acl");

	private PublishedRules() {
	}

	/**
	 * Returns the options of a server that applies these rules to clients without a
	 * login.
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
	 * Returns the violations by clients without a login in an {@code ACL LOG}. Failed
	 * logins are no violations.
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
