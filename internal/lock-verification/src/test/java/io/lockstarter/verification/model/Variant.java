package io.lockstarter.verification.model;

import java.util.Objects;

import io.lockstarter.verification.mistakes.WrongScript;
import org.jspecify.annotations.Nullable;

/**
 * Variant of the protocol: correct, or with a mistake in its scripts. For mistakes of the
 * engine, see {@code MachineMistakes}.
 */
enum Variant {

	/** Correct protocol. */
	CORRECT(null, null), RELATIVE_COUNTS(WrongScript.RELATIVE_COUNTS, "is held after its end"),
	RELEASES_BY_OWNER(WrongScript.RELEASES_BY_OWNER, "was ended by"),
	NO_TOMBSTONE(WrongScript.NO_TOMBSTONE, "is held after its end"),
	NOTIFIES_NOBODY(WrongScript.NOTIFIES_NOBODY, "was not woken"),
	/** A client wakes the next waiter before it releases the lock. */
	WAKES_BEFORE_DELETE(null, "was not woken"), TOKENS_WITHOUT_CLOCK(WrongScript.TOKENS_WITHOUT_CLOCK, "after token"),
	RENEWS_WHAT_HAS_ENDED(WrongScript.RENEWS_WHAT_HAS_ENDED, "is held after its end"),
	SHORTENS_LEASE(WrongScript.SHORTENS_LEASE, "was shortened"),
	FORGETS_RELEASES(WrongScript.FORGETS_RELEASES, "got the reply"),
	READER_ENDS_ALL_SHARES(WrongScript.READER_ENDS_ALL_SHARES, "was ended by"),
	READER_BARGES_PAST_WRITER(WrongScript.READER_BARGES_PAST_WRITER, "came before"),
	FAIR_REQUEST_BARGES(WrongScript.FAIR_REQUEST_BARGES, "came before"),
	ONE_PERMIT_TOO_MANY(WrongScript.ONE_PERMIT_TOO_MANY, "has a permit beside"),
	DEAD_KEEP_QUEUE_POSITION(WrongScript.DEAD_KEEP_QUEUE_POSITION, "waits forever");

	private final @Nullable WrongScript script;

	private final @Nullable String fault;

	Variant(@Nullable WrongScript script, @Nullable String fault) {
		this.script = script;
		this.fault = fault;
	}

	/** Returns the scripts, with the mistake if it concerns scripts. */
	Scripts scripts() {
		return new Scripts(this.script);
	}

	/** Returns the text of the fault that a search must find. */
	String fault() {
		return Objects.requireNonNull(this.fault);
	}

}
