package io.lockstarter.verification.mutants;

import java.util.List;

/**
 * The mistakes that are planted.
 */
final class Mutants {

	/** The tests of every registry, without a server. */
	private static final String REGISTRY = "memory.InMemoryLockRegistryTests#";

	private static final String REDIS = "redis.RedisLockRegistryTests#";

	private static final String BACKEND = "redis.RedisLockBackendTests#";

	private static final String ENGINE = "engine.EngineTests#";

	private static final String HANDOVER = "engine.HandoverTests#";

	private static final String OFFER = "engine.OfferTests#";

	private static final String SEARCH = "verification.model.ProtocolModelTests#findsNoFaultNearby";

	static final List<Mutant> ALL = List.of(
			new Mutant("relative-counts", "Hold counts are added to what Redis has, so a repeated command counts twice.", "redis/renew.lua",
					"redis.pcall('HSET', lock, tenure, count)",
					"redis.pcall('HINCRBY', lock, tenure, count)", List.of(REDIS + "writesTheHoldCountToRedisInTheEnd")),
			new Mutant("deadline-from-reply", "The lease of a new lock counts from the arrival of the reply.", "engine/Commands.java",
					"(answer, failure) -> then.answered(start, answer, failure)",
					"(answer, failure) -> then.answered((start != null) ? Moment.now() : start, answer, failure)", List.of(ENGINE + "countsTheLeaseFromBeforeTheQuestion")),
			new Mutant("renewed-from-reply", "A renewed lease counts from the arrival of the reply.", "engine/Watchdog.java",
					"this.tenure.confirm(Lease.of(start, this.tenure.leaseTime()));",
					"this.tenure.confirm(Lease.of(Moment.now(), this.tenure.leaseTime()));", List.of(ENGINE + "countsARenewedLeaseFromBeforeTheRenewal")),
			new Mutant("granted-from-message", "The lease of a lock granted by a message counts from its arrival.", "engine/Standing.java",
					"Lease lease = Lease.of(asked, Duration.ofNanos(waitedMicros * 1000), offer.lease());",
					"Lease lease = Lease.of(Moment.now(), offer.lease());", List.of(OFFER + "countsTheLeaseFromTheGrantHoweverLateTheMessageIs", OFFER + "asksAgainWhenTheLeaseHasEndedBeforeTheMessageCame")),
			new Mutant("no-drift-margin", "A lease is relied on to its last moment, whatever the drift of the clocks.", "engine/Lease.java",
					"return new Lease(start, nanos - nanos / 100 - MARGIN_NANOS);",
					"return new Lease(start, nanos);", List.of("engine.LeaseTests#endsEarlierThanTheBackendsLeaseByOneHundredthAndTwoMilliseconds")),
			new Mutant("no-recheck", "Who waits asks again only when woken.", "engine/Standing.java",
					"this.recheckTask = this.timer.in(nanos, this.recheck);",
					"", List.of(ENGINE + "asksAgainByItselfAfterASecondWhenNoWakeUpComes", ENGINE + "asksAgainByItselfWhenTheHoldersLeaseHasEnded")),
			new Mutant("no-mark-of-end", "The end of a tenure that did not hold the lock leaves no mark.", "redis/release.lua",
					"  if marks ~= (fence[1] or '') then",
					"  if held == 1 then", List.of(BACKEND + "refusesAnAcquireThatArrivesAfterItsCancellation", SEARCH)),
			new Mutant("release-by-owner", "A release ends whatever its client holds.", "redis/release.lua",
					"local held = redis.pcall(intent == 'd' and 'HGET' or 'HDEL', KEYS[1], tenure)",
					"for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do\n  if string.sub(field, 1, 32) == ARGV[1] then\n    tenure = field\n  end\nend\nlocal held = redis.pcall(intent == 'd' and 'HGET' or 'HDEL', KEYS[1], tenure)", List.of("faults.NetworkFaultTests#releaseThatArrivesAgainDoesNotFreeTheNextHolder", SEARCH)),
			new Mutant("release-forgotten", "A repeated release is taken for a loss.", "redis/release.lua",
					"marks = ARGV[2] .. (held == 1 and '' or '.5')",
					"marks = ARGV[2] .. '.5'", List.of(BACKEND + "tellsAReleaseFromARepeatedOneAndFromALoss", SEARCH)),
			new Mutant("release-tells-nobody", "A release grants the lock to nobody who waits, and wakes nobody.", "redis/release.lua",
					"if not fence[2] or (held == 1 and intent == 'r') or intent == 'k' then",
					"if true then", List.of(BACKEND + "grantsTheLockToTheClientThatWaits", BACKEND + "wakesTheClientThatWaits", SEARCH)),
			new Mutant("readers-leave-together", "The first reader that leaves takes the lock along.", "redis/release.lua",
					"    if redis.call('HLEN', KEYS[1]) == 1 then\n      -- The last reader",
					"    if true then\n      -- The last reader", List.of(REDIS + "writesWhenAllReadersHaveLeft", SEARCH)),
			new Mutant("lease-shortened", "A late renewal makes a lease shorter.", "redis/renew.lua",
					"if lease > 0 and redis.call('PTTL', lock) < lease then",
					"if lease > 0 then", List.of(BACKEND + "neverShortensALease")),
			new Mutant("renewal-revives", "A renewal writes the lock whether it is there or not.", "redis/renew.lua",
					"  local held = redis.pcall('HGET', lock, tenure)\n",
					"  local held = redis.pcall('HGET', lock, tenure) or redis.pcall('HSET', lock, tenure, count) and count\n", List.of(BACKEND + "renewsOnlyTheTenureThatHolds", SEARCH)),
			new Mutant("token-without-clock", "Tokens count up from what Redis remembers.", "redis/acquire.lua",
					"local base = math.max(micros, lowest)",
					"local base = lowest", List.of(SEARCH)),
			new Mutant("token-kept", "Holds that follow one another in a tenure have the same token.", "engine/Tokens.java",
					"return this.next++;",
					"return this.next;", List.of(REGISTRY + "givesEveryHoldAGreaterFencingTokenInAllRegistries", HANDOVER + "handsAReleasedLockToTheNextWithoutAskingTheBackend")),
			new Mutant("reader-passes-writer", "A reader is admitted past a writer who waits.", "redis/acquire.lua",
					"if fence[5] and mode ~= 'x' then",
					"if fence[5] and mode == 'f' then", List.of(REDIS + "keepsNewReadersBehindAWriterThatWaits", SEARCH)),
			new Mutant("dead-keep-place", "The first in line is never passed over, even when he is dead.", "redis/acquire.lua",
					"if not kind or micros - seen > 2000000 then",
					"if not kind then", List.of("redis.QueueScriptTests#keepsANewReaderBehindAWriterAsLongAsItLives", "faults.FairFaultTests#newcomerGetsAFreeLockWhoseFirstInLineIsFrozenWithinThreeSeconds")),
			new Mutant("quorum-mixes-bases", "Grants of different bases make a majority, and the highest is the token.", "redis/Ballot.java",
					"filter((other) -> other.base() == grant.base())",
					"filter((other) -> other.base() <= grant.base())", List.of("redis.QuorumModelTests#findsNoFaultInAnyStateOfThreeTenures", "redis.QuorumVotingTests#doesNotAddUpDifferentBases")),
			new Mutant("quorum-unchecked-base", "A server writes the base that a client proposes, unchecked.", "redis/acquire.lua",
					"if proposed < (fence[2] and lowest or micros - reach + 16) then",
					"if false then", List.of("redis.RedisNodeTests#judgesByItsClockWhatItHasForgotten")),
			new Mutant("quorum-no-marker", "A server that has lost its memory votes at once.", "redis/enrol.lua",
					"  from = micros + ARGV[1] * 1000",
					"  from = micros", List.of("redis.RedisNodeTests#doesNotVoteBeforeTheLongestLeaseHasPassed")),
			new Mutant("loss-untold", "Nobody is told of a loss.", "engine/Endings.java",
					"effects.add(() -> this.engine.listeners().lost(loss));",
					"", List.of(ENGINE + "losesTheLockAtItsDeadlineWhenNoRenewalIsAnswered", REGISTRY + "tellsThatAFixedLeaseHasExpired")),
			new Mutant("timeout-extends", "A renewal that is not answered makes the lease last.", "engine/Watchdog.java",
					"this.tenure.renewalFailed();",
					"this.tenure.confirm(Lease.of(Moment.now(), this.tenure.leaseTime()));", List.of(ENGINE + "losesTheLockAtItsDeadlineWhenNoRenewalIsAnswered")),
			new Mutant("one-failure-ends-renewal", "The watchdog stops after one renewal that fails.", "engine/Watchdog.java",
					"this.tenure.renewalFailed();",
					"this.tenure.renewalFailed();\n\t\t\tthis.tenure.stopRenewing(LockLoss.Reason.LEASE_EXPIRED);", List.of(ENGINE + "repeatsAFailedRenewalUntilItSucceeds")),
			new Mutant("renewal-after-release", "A lock is renewed after its release.", "engine/Watchdog.java",
					"synchronized void end() {\n\t\t\tthis.ended = true;",
					"synchronized void end() {", List.of(REGISTRY + "renewsNothingOnceReleased", ENGINE + "leavesNoTimerBehindAfterAShortHold")),
			new Mutant("hold-time-ignored", "The longest time to hold a lock is not looked at.", "engine/Hold.java",
					"boolean tooLong = longest != null && heldFor().compareTo(longest) >= 0;",
					"boolean tooLong = false;", List.of(REGISTRY + "stopsRenewingAfterTheLongestHoldTime")),
			new Mutant("dead-owner-renewed", "The lock of a thread that has ended is renewed for ever.", "engine/Hold.java",
					"if (!this.owner.isAlive()) {",
					"if (this.owner == null) {", List.of(REGISTRY + "stopsRenewingWhenTheThreadOfTheOwnerHasEnded")),
			new Mutant("interrupted-stays", "A waiter that is interrupted stays in the queue.", "engine/BlockingWaiter.java",
					"if (withdrawsOnInterrupt && withdraw()) {",
					"if (withdrawsOnInterrupt) {", List.of(REGISTRY + "withdrawsWhenInterruptedBehindALocalHolder", REGISTRY + "letsTheNextInWhenTheFirstWaiterIsInterrupted")),
			new Mutant("late-grant-kept", "An acquire that was not answered in time is not cancelled.", "engine/Applicant.java",
					"case TIMEOUT, UNREACHABLE, NOT_REPLICATED -> true;",
					"case TIMEOUT, UNREACHABLE, NOT_REPLICATED -> false;", List.of(ENGINE + "endsTheTenureOfAnAcquireThatWasNotAnsweredInTime")),
			new Mutant("no-command-timeout", "A command waits for its reply for ever.", "engine/Commands.java",
					"Timer.Task timeout = done ? null\n",
					"Timer.Task timeout = (done || !replies.isEmpty()) ? null\n", List.of(ENGINE + "endsTheTenureOfAnAcquireThatWasNotAnsweredInTime")),
			new Mutant("late-withdrawal-unnoticed", "A cancellation that also takes this client out of the waiters is not followed by a question.", "engine/Commands.java",
					"this.onWithdrawn.accept(command.name());",
					"", List.of(ENGINE + "asksAgainWhenALateWithdrawalMayHaveRemovedItsNewRegistration")),
			new Mutant("handover-without-limit", "A lock is handed on for ever while other clients wait.", "engine/Demand.java",
					"return this.remote && (this.handedOver >= this.limit || System.nanoTime() - this.since >= LONGEST_NANOS);",
					"return false;", List.of(HANDOVER + "goesOnForALimitedNumberOfHoldsOnceAnotherClientWaits", HANDOVER + "endsAfterATimeOnceAnotherClientWaits")),
			new Mutant("handover-of-old-lease", "A lease that is nearly over is handed on.", "engine/Tenure.java",
					"&& waiter.canUse(this) && isFresh();",
					"&& waiter.canUse(this);", List.of(HANDOVER + "handsNoLeaseOnThatIsHalfOver")),
			new Mutant("grant-to-nobody", "A grant that nobody waits for any more is kept.", "engine/LocalLock.java",
					"if (head == null || !granted.isFresh() || !head.canUse(granted)) {\n\t\t\tthis.endings.giveBack(granted, effects);",
					"if (head == null || !granted.isFresh() || !head.canUse(granted)) {", List.of(ENGINE + "givesBackAGrantThatNobodyWaitsForAnyMore")),
			new Mutant("no-monitor", "The steps of one lock are not taken one at a time.", "engine/LocalLock.java",
					"synchronized (this) {\n\t\t\tresult = step.apply(effects);\n\t\t}",
					"result = step.apply(effects);", List.of("verification.model.LocalLockLincheckTests#isLinearizable", "verification.model.CancellationLincheckTests#everybodyElseHasHisTurn")),
			new Mutant("cancelled-keeps", "A request that is cancelled while it is granted keeps the lock.", "engine/DefaultLockRegistry.java",
					"handle.abandon();",
					"", List.of("verification.model.CancellationLincheckTests#everybodyElseHasHisTurn")),
			new Mutant("listener-hinders", "What a listener throws goes up to the release.", "engine/Listeners.java",
					"event.accept(listener);\n\t\t\t}\n\t\t\tcatch (Throwable ex) {",
					"event.accept(listener);\n\t\t\t}\n\t\t\tcatch (LinkageError ex) {", List.of(REGISTRY + "isNotHarmedByAListenerThatThrows")),
			new Mutant("skip-runs-unlocked", "A method that is to be skipped runs without the lock.", "aop/LockCall.java",
					"return nothing;",
					"return proceed();", List.of("aop.LockInterceptorTests#returnsNothingWhenSkipped")),
			new Mutant("release-before-commit", "A lock is released before the transaction of the caller is committed.", "aop/CallerTransaction.java",
					"return () -> releaseOnCompletion(lock);",
					"return lock::close;", List.of("autoconfigure.LockOrderTests#keepsLockUntilTransactionOfCallerIsCommitted")));

	private Mutants() {
	}

}
