package io.lockstarter.verification.model;

import org.jspecify.annotations.Nullable;

/**
 * The protocol, or a mistake planted in it.
 */
enum Variant {

	/** As it is. */
	CORRECT(null),
	/** Holds are counted up and down, so a repeated command counts twice. */
	COUNTS_UP_AND_DOWN("is held after its end"),
	/** A release ends whatever its client holds. */
	RELEASES_BY_OWNER("was ended by"),
	/** A release leaves no mark of a tenure that was not held. */
	NO_MARK_OF_THE_END("is held after its end"),
	/** A lease counts from the arrival of the answer. */
	DEADLINE_FROM_ANSWER("hold the lock at once"),
	/** A lease granted by a message counts from its arrival. */
	DEADLINE_FROM_MESSAGE("hold the lock at once"),
	/** A lease is relied on for a moment longer than the server keeps it. */
	DEADLINE_BEYOND_LEASE("hold the lock at once"),
	/** A client tells who is next before it releases the lock. */
	WAKES_BEFORE_DELETE("was not woken"),
	/** Tokens count up from what the server remembers. */
	TOKENS_WITHOUT_CLOCK("after token"),
	/** A renewal writes the lock whether it is there or not. */
	RENEWS_WHAT_HAS_ENDED("is held after its end"),
	/** A renewal sets the lease, be it shorter than what is left. */
	SHORTENS_LEASE("was shortened"),
	/** The last command of a tenure that is repeated is taken for a loss. */
	FORGETS_RELEASES("was answered"),
	/** A reader that leaves takes the lock along. */
	READER_ENDS_ALL_SHARES("was ended by"),
	/** A reader comes before a writer who has waited longer. */
	READER_PASSES_WRITER("came before"),
	/** A fair request comes before one that has waited longer. */
	FAIR_IS_OVERTAKEN("came before"),
	/** Who is dead keeps his place for ever. */
	DEAD_KEEP_THEIR_PLACE("waits for ever"),
	/** Who waits asks again only when woken. */
	NO_TIMER("waits for ever"),
	/** Who has left the waiters keeps the turn that he is told of. */
	KEEPS_A_TURN("was not woken"),
	/** A grant by a message is given back while an answer may say the same. */
	ENDS_WHAT_IT_ASKS_FOR("hold the lock at once"),
	/** The tokens that a tenure asks for later are those it has. */
	REPEATS_TOKENS("after token");

	private final @Nullable String fault;

	Variant(@Nullable String fault) {
		this.fault = fault;
	}

	/** What a search must find, in words. */
	@Nullable String fault() {
		return this.fault;
	}

}
