package io.lockstarter.fence;

import io.lockstarter.core.FenceRefusal;

/**
 * Explains refusals to people.
 */
final class RefusalText {

	private RefusalText() {
	}

	static String of(FenceRefusal refusal, String lock, String row, String table) {
		String tokens = "the token %s of %s, because table %s has %s".formatted(refusal.fencingToken(), lock, table,
				(refusal.registeredToken() != null) ? "token " + refusal.registeredToken() : "no row for it");
		if (refusal.stage() == FenceRefusal.Stage.COMMIT) {
			return "The database refused %s: others have held the lock since. The transaction was rolled back, and the call can be repeated"
				.formatted(tokens);
		}
		return "The database refused %s: others have held the lock since. The work was not begun, and the call can be repeated. If that does not help, Redis has lost its data and its clock was set back: run DELETE FROM %s WHERE name = '%s'"
			.formatted(tokens, table, row.replace("'", "''"));
	}

}
