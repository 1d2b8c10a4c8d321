package io.lockstarter.verification.model;

import java.util.HashMap;
import java.util.Map;

import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.verification.mistakes.WrongScript;
import org.jspecify.annotations.Nullable;

/**
 * Scripts of the protocol, possibly with a mistake, for a model of Redis.
 */
final class Scripts {

	/** Texts of wrong scripts by those of the correct ones. */
	private final Map<String, String> wrong = new HashMap<>();

	private final Map<LuaScript, Script> known = new HashMap<>();

	Scripts(@Nullable WrongScript mistake) {
		if (mistake != null) {
			mistake.scripts().forEach((name) -> this.wrong.put(WrongScript.right(name), mistake.text(name)));
		}
	}

	Script find(LuaScript script) {
		return this.known.computeIfAbsent(script,
				(right) -> new Script(this.wrong.getOrDefault(right.text(), right.text())));
	}

}
