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
 * Planted mistakes of the scripts, and of the votes in a quorum.
 */
public final class RedisMistakes {

	/**
	 * All mistakes of scripts and votes. The search of protocol states also finds most of
	 * those in scripts.
	 */
	public static final List<Mistake> ALL = List.of(
			new Mistake("readers-leave-together", "The release of one reader ends the holds of all readers.", 1,
					script(WrongScript.READER_ENDS_ALL_SHARES), "redis.Redis#writesWhenAllReadersHaveLeft"),
			new Mistake("permit-too-many", "One permit too many can be held.", 1,
					script(WrongScript.ONE_PERMIT_TOO_MANY), "redis.Redis#letsAsManyHoldItAsThereArePermits",
					"redis.#keepsAShareForEach", "faults.#grantsNoMoreThanThereAre"),
			new Mistake("lease-shortened", "A late renewal makes a lease shorter.", 1,
					script(WrongScript.SHORTENS_LEASE), "redis.Redis#neverShortensALease"),
			new Mistake("quorum-mixes-bases",
					"Grants of different bases make a majority, and the highest is the token.", 1,
					advice(Ballot.class, AnyMajority.class, "elected"), "redis.#doesNotAddUpDifferentBases"),
			new Mistake("quorum-no-marker", "A server that has lost its data votes at once.", 1,
					script(WrongScript.VOTES_AT_ONCE), "redis.#doesNotVoteBeforeTheLongestLeaseHasPassed"),
			new Mistake("quorum-puts-back-at-once",
					"A server that has lost its data restores a tenure before it may vote.", 1,
					script(WrongScript.PUTS_BACK_AT_ONCE), "redis.#putsATenureBackOnlyWhenItMayVote"),
			new Mistake("quorum-unchecked-base", "A server accepts the proposed base of a client without a check.", 2,
					script(WrongScript.UNCHECKED_BASE), "redis.#judgesByItsClockWhatItHasForgotten"),
			new Mistake("token-without-clock", "Tokens continue from the last token that Redis remembers.", 2,
					script(WrongScript.TOKENS_WITHOUT_CLOCK),
					"faults.#nextHolderAfterAnEvictionOfTheFenceAsWellHasAHigherTokenAndKeepsItsLock"),
			new Mistake("relative-counts", "Hold counts are counted up and down, so a repeated command counts twice.",
					7, script(WrongScript.RELATIVE_COUNTS),
					"faults.#acquireWhoseReplyIsLostHoldsOnceAndIsFreedByOneUnlock"),
			new Mistake("no-tombstone", "The end of a tenure that did not hold the lock leaves no tombstone.", 7,
					script(WrongScript.NO_TOMBSTONE), "redis.Redis#refusesAnAcquireThatArrivesAfterItsCancellation"),
			new Mistake("release-by-owner", "A release ends every hold of its client.", 7,
					script(WrongScript.RELEASES_BY_OWNER), "faults.#releaseThatArrivesAgainDoesNotFreeTheNextHolder"),
			new Mistake("release-forgotten", "A repeated release counts as a loss.", 7,
					script(WrongScript.FORGETS_RELEASES), "redis.Redis#tellsAReleaseFromARepeatedOneAndFromALoss"),
			new Mistake("renewal-revives", "A renewal restores a lock that has ended.", 7,
					script(WrongScript.RENEWS_WHAT_HAS_ENDED), "redis.Redis#renewsOnlyTheTenureThatHolds"),
			new Mistake("release-notifies-nobody", "A release neither grants the lock to a waiter nor wakes one.", 8,
					script(WrongScript.NOTIFIES_NOBODY), "redis.Redis#grantsTheLockToTheClientThatWaits",
					"redis.Redis#wakesTheClientThatWaits"),
			new Mistake("dead-keep-permit", "The permit of a dead holder counts after the end of its lease.", 8,
					script(WrongScript.DEAD_KEEP_PERMIT), "redis.#freesThePermitOfOneWhoHasDiedWhenItsLeaseEnds",
					"redis.#countsNoneThatIsOverWhenAnotherIsReleased"),
			new Mistake("one-of-several-notified",
					"Only the first waiter is notified if several permits become free at once.", 8,
					script(WrongScript.NOTIFIES_ONE_OF_SEVERAL), "redis.#grantsAsManyAsBecomeFreeInOrder"),
			new Mistake("reader-barges", "A reader barges past a waiting writer.", 9,
					script(WrongScript.READER_BARGES_PAST_WRITER),
					"redis.#keepsANewReaderBehindAWriterAsLongAsItLives"),
			new Mistake("fair-leaves-turn", "A fair request that yields to nobody leaves the queue.", 9,
					script(WrongScript.FAIR_LEAVES_ITS_TURN), "faults.#nobodyOvertakesAnInstanceThatHasItsOwnTurnAgain",
					"redis.Redis#keepsTheTurnOfAFairRequestThatNobodyWaitsBefore"),
			new Mistake("dead-keep-position", "A dead waiter keeps its queue position.", 9,
					script(WrongScript.DEAD_KEEP_QUEUE_POSITION), "redis.#keepsANewReaderBehindAWriterAsLongAsItLives"),
			new Mistake("clock-set-back",
					"A waiter whose last request was sent before the clock was set back keeps its queue position.", 9,
					script(WrongScript.KEEPS_POSITION_WHEN_CLOCK_SET_BACK),
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
