package io.lockstarter.verification.model;

import io.lockstarter.verification.mistakes.WrongScript;
import org.jspecify.annotations.Nullable;

/**
 * The protocol, or a mistake planted in it.
 */
enum Variant {

	/** As it is. */
	CORRECT(null), RELATIVE_COUNTS(WrongScript.RELATIVE_COUNTS, "is held after its end"),
	RELEASES_BY_OWNER(WrongScript.RELEASES_BY_OWNER, "was ended by"),
	NO_MARK_OF_THE_END(WrongScript.NO_MARK_OF_THE_END, "is held after its end"),
	/** A lease counts from the arrival of the answer. */
	DEADLINE_FROM_ANSWER("hold the lock at once"),
	/** A lease granted by a message counts from its arrival. */
	DEADLINE_FROM_MESSAGE("hold the lock at once"),
	/** A lease is relied on for a moment longer than the server keeps it. */
	DEADLINE_BEYOND_LEASE("hold the lock at once"), TELLS_NOBODY(WrongScript.TELLS_NOBODY, "was not woken"),
	/** A client tells who is next before it releases the lock. */
	WAKES_BEFORE_DELETE("was not woken"), TOKENS_WITHOUT_CLOCK(WrongScript.TOKENS_WITHOUT_CLOCK, "after token"),
	RENEWS_WHAT_HAS_ENDED(WrongScript.RENEWS_WHAT_HAS_ENDED, "is held after its end"),
	SHORTENS_LEASE(WrongScript.SHORTENS_LEASE, "was shortened"),
	FORGETS_RELEASES(WrongScript.FORGETS_RELEASES, "was answered"),
	READER_ENDS_ALL_SHARES(WrongScript.READER_ENDS_ALL_SHARES, "was ended by"),
	READER_PASSES_WRITER(WrongScript.READER_PASSES_WRITER, "came before"),
	FAIR_IS_OVERTAKEN(WrongScript.FAIR_IS_OVERTAKEN, "came before"),
	DEAD_KEEP_THEIR_PLACE(WrongScript.DEAD_KEEP_THEIR_PLACE, "waits for ever"),
	/** Who waits asks again only when woken. */
	NO_TIMER("waits for ever"),
	/** Who has left the waiters keeps the turn that he is told of. */
	KEEPS_A_TURN("was not woken"),
	/** A grant by a message is given back while an answer may say the same. */
	ENDS_WHAT_IT_ASKS_FOR("hold the lock at once");

	private final @Nullable WrongScript script;

	private final @Nullable String fault;

	Variant(@Nullable String fault) {
		this(null, fault);
	}

	Variant(@Nullable WrongScript script, @Nullable String fault) {
		this.script = script;
		this.fault = fault;
	}

	/** The script of a name, with the mistake if that is one of scripts. */
	Script script(String name) {
		return new Script((this.script != null) ? this.script.text(name) : WrongScript.right(name));
	}

	/** What a search must find, in words. */
	@Nullable String fault() {
		return this.fault;
	}

}
