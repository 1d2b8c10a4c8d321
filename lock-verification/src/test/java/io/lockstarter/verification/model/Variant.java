package io.lockstarter.verification.model;

import java.util.Objects;

import io.lockstarter.verification.mistakes.WrongScript;
import org.jspecify.annotations.Nullable;

/**
 * The protocol, or a mistake planted in its scripts. Those of the engine are planted in
 * its classes: see {@code MachineMistakes}.
 */
enum Variant {

	/** As it is. */
	CORRECT(null, null), RELATIVE_COUNTS(WrongScript.RELATIVE_COUNTS, "is held after its end"),
	RELEASES_BY_OWNER(WrongScript.RELEASES_BY_OWNER, "was ended by"),
	NO_MARK_OF_THE_END(WrongScript.NO_MARK_OF_THE_END, "is held after its end"),
	TELLS_NOBODY(WrongScript.TELLS_NOBODY, "was not woken"),
	/** A client tells who is next before it releases the lock. */
	WAKES_BEFORE_DELETE(null, "was not woken"), TOKENS_WITHOUT_CLOCK(WrongScript.TOKENS_WITHOUT_CLOCK, "after token"),
	RENEWS_WHAT_HAS_ENDED(WrongScript.RENEWS_WHAT_HAS_ENDED, "is held after its end"),
	SHORTENS_LEASE(WrongScript.SHORTENS_LEASE, "was shortened"),
	FORGETS_RELEASES(WrongScript.FORGETS_RELEASES, "was answered"),
	READER_ENDS_ALL_SHARES(WrongScript.READER_ENDS_ALL_SHARES, "was ended by"),
	READER_PASSES_WRITER(WrongScript.READER_PASSES_WRITER, "came before"),
	FAIR_IS_OVERTAKEN(WrongScript.FAIR_IS_OVERTAKEN, "came before"),
	ONE_PERMIT_TOO_MANY(WrongScript.ONE_PERMIT_TOO_MANY, "has a permit beside"),
	DEAD_KEEP_THEIR_PLACE(WrongScript.DEAD_KEEP_THEIR_PLACE, "waits for ever");

	private final @Nullable WrongScript script;

	private final @Nullable String fault;

	Variant(@Nullable WrongScript script, @Nullable String fault) {
		this.script = script;
		this.fault = fault;
	}

	/** The scripts, with the mistake if that is one of scripts. */
	Scripts scripts() {
		return new Scripts(this.script);
	}

	/** What a search must find, in words. */
	String fault() {
		return Objects.requireNonNull(this.fault);
	}

}
