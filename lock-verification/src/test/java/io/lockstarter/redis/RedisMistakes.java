package io.lockstarter.redis;

import java.util.Comparator;
import java.util.List;

import io.lockstarter.redis.quorum.Ballot;
import io.lockstarter.redis.quorum.Vote;
import io.lockstarter.verification.mistakes.Mistake;
import io.lockstarter.verification.mistakes.WrongScript;
import net.bytebuddy.asm.Advice;

import static io.lockstarter.verification.mistakes.Plant.advice;
import static io.lockstarter.verification.mistakes.Plant.script;

/**
 * Mistakes of the scripts, and of the voting in a quorum.
 */
public final class RedisMistakes {

	/**
	 * All of them. The search of the protocol's states finds most of those in scripts,
	 * too.
	 */
	public static final List<Mistake> ALL = List.of(
			new Mistake("readers-leave-together", "The first reader that leaves takes the lock along.", 1,
					script(WrongScript.READER_ENDS_ALL_SHARES), "redis.Redis#writesWhenAllReadersHaveLeft"),
			new Mistake("permit-too-many", "The permits that are held are counted as one fewer than they are.", 1,
					script(WrongScript.ONE_PERMIT_TOO_MANY), "redis.Redis#letsAsManyHoldItAsThereArePermits",
					"redis.#keepsAShareForEach", "faults.#grantsNoMoreThanThereAre"),
			new Mistake("lease-shortened", "A late renewal makes a lease shorter.", 1,
					script(WrongScript.SHORTENS_LEASE), "redis.Redis#neverShortensALease"),
			new Mistake("quorum-mixes-bases",
					"Grants of different bases make a majority, and the highest is the token.", 1,
					advice(Ballot.class, AnyMajority.class, "elected"), "redis.#doesNotAddUpDifferentBases"),
			new Mistake("quorum-no-marker", "A server that has lost its memory votes at once.", 1,
					script(WrongScript.VOTES_AT_ONCE), "redis.#doesNotVoteBeforeTheLongestLeaseHasPassed"),
			new Mistake("quorum-puts-back-at-once",
					"A server that has lost its memory takes a tenure back before it may vote.", 1,
					script(WrongScript.PUTS_BACK_AT_ONCE), "redis.#putsATenureBackOnlyWhenItMayVote"),
			new Mistake("quorum-unchecked-base", "A server writes the base that a client proposes, unchecked.", 2,
					script(WrongScript.UNCHECKED_BASE), "redis.#judgesByItsClockWhatItHasForgotten"),
			new Mistake("token-without-clock", "Tokens count up from what Redis remembers.", 2,
					script(WrongScript.TOKENS_WITHOUT_CLOCK),
					"faults.#nextHolderAfterAnEvictionOfTheFenceAsWellHasAHigherTokenAndKeepsItsLock"),
			new Mistake("relative-counts", "Hold counts are counted up and down, so a repeated command counts twice.",
					7, script(WrongScript.RELATIVE_COUNTS),
					"faults.#acquireWhoseReplyIsLostHoldsOnceAndIsFreedByOneUnlock"),
			new Mistake("no-mark-of-end", "The end of a tenure that did not hold the lock leaves no mark.", 7,
					script(WrongScript.NO_MARK_OF_THE_END),
					"redis.Redis#refusesAnAcquireThatArrivesAfterItsCancellation"),
			new Mistake("release-by-owner", "A release ends whatever its client holds.", 7,
					script(WrongScript.RELEASES_BY_OWNER), "faults.#releaseThatArrivesAgainDoesNotFreeTheNextHolder"),
			new Mistake("release-forgotten", "A repeated release is taken for a loss.", 7,
					script(WrongScript.FORGETS_RELEASES), "redis.Redis#tellsAReleaseFromARepeatedOneAndFromALoss"),
			new Mistake("renewal-revives", "A renewal writes the lock whether it is there or not.", 7,
					script(WrongScript.RENEWS_WHAT_HAS_ENDED), "redis.Redis#renewsOnlyTheTenureThatHolds"),
			new Mistake("release-tells-nobody", "A release grants the lock to nobody who waits, and wakes nobody.", 8,
					script(WrongScript.TELLS_NOBODY), "redis.Redis#grantsTheLockToTheClientThatWaits",
					"redis.Redis#wakesTheClientThatWaits"),
			new Mistake("dead-keep-permit", "The permit of one who has died counts although its lease is over.", 8,
					script(WrongScript.DEAD_KEEP_THEIR_PERMIT), "redis.#freesThePermitOfOneWhoHasDiedWhenItsLeaseEnds",
					"redis.#countsNoneThatIsOverWhenAnotherIsReleased"),
			new Mistake("one-of-several-told",
					"Where several permits become free at once, the first who waits is told.", 8,
					script(WrongScript.TELLS_ONE_OF_SEVERAL), "redis.#grantsAsManyAsBecomeFreeInOrder"),
			new Mistake("reader-passes-writer", "A reader is admitted past a writer who waits.", 9,
					script(WrongScript.READER_PASSES_WRITER), "redis.#keepsANewReaderBehindAWriterAsLongAsItLives"),
			new Mistake("fair-leaves-turn", "A fair request that has its own turn again does not wait until it asks.",
					9, script(WrongScript.FAIR_LEAVES_ITS_TURN),
					"faults.#nobodyOvertakesAnInstanceThatHasItsOwnTurnAgain",
					"redis.Redis#keepsTheTurnOfAFairRequestThatNobodyWaitsBefore"),
			new Mistake("dead-keep-place", "The first in line is never passed over, even when it is dead.", 9,
					script(WrongScript.DEAD_KEEP_THEIR_PLACE), "redis.#keepsANewReaderBehindAWriterAsLongAsItLives"),
			new Mistake("clock-set-back", "One who was last heard of before the clock was set back keeps its place.", 9,
					script(WrongScript.KEEPS_PLACE_WHEN_SET_BACK),
					"redis.#passesOverOneWhoWasLastHeardOfBeforeTheClockWasSetBack"));

	private RedisMistakes() {
	}

	static Vote.Granted anyMajority(Ballot ballot) {
		List<Vote.Granted> grants = ballot.votes(Vote.Granted.class)
			.sorted(Comparator.comparing(Vote.Granted::base).reversed())
			.toList();
		return (grants.size() >= ballot.majority()) ? grants.get(0) : null;
	}

	static final class AnyMajority {

		@Advice.OnMethodExit
		static void exit(@Advice.This Ballot ballot, @Advice.Return(readOnly = false) Vote.Granted result) {
			result = RedisMistakes.anyMajority(ballot);
		}

	}

}
