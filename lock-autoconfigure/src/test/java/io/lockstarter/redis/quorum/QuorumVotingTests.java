package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.AlreadyEnded;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.LockBackend.TenureProperties;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.logging.LockLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How votes are counted, with five servers that say what the test wants.
 */
class QuorumVotingTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** For which a server is waited for no longer than 50 ms. */
	private static final Duration SHORT_LEASE = Duration.ofMillis(600);

	private static final long REACH_MICROS = LEASE.toNanos() / 2000;

	private static final int MOST_OWED = 10_000;

	private static final TenureProperties TERMS = new TenureProperties(LockType.REENTRANT, "me", 7);

	private static final String CLIENT = "0123456789abcdef0123456789abcdef";

	private final List<ScriptedNode> nodes = IntStream.range(0, 5).mapToObj((i) -> new ScriptedNode()).toList();

	private final QuorumLockBackend backend = new QuorumLockBackend(
			new QuorumSettings(List.of("redis://a", "redis://b", "redis://c", "redis://d", "redis://e"), "lock:",
					Duration.ofMinutes(10), LEASE),
			() -> CLIENT, List.copyOf(this.nodes), () -> {
			});

	@AfterEach
	void close() {
		this.backend.close();
	}

	@Test
	void grantsAsSoonAsAMajorityHasGrantedTheSameBase() {
		CompletableFuture<AcquireReply> answer = acquire();
		vote(0, new Vote.Granted(7, false));
		vote(1, new Vote.Granted(7, true));
		assertThat(answer).isNotDone();
		vote(4, new Vote.Granted(7, false));
		assertThat(answer).isCompletedWithValue(new Granted(7, true));
		assertThat(cancellations()).isEmpty();
	}

	@Test
	void proposesTheSameToAllByTheClockOfMost() {
		long now = 1_000_000_000L;
		for (int i = 0; i < 5; i++) {
			this.nodes.get(i).clock.read((i < 2) ? now * 1000 : now + i, System.nanoTime());
		}
		acquire();
		assertThat(bases()).hasSize(1);
		assertThat(bases().get(0)).isBetween(now, now + 10_000_000);
	}

	@Test
	void refusesAsSoonAsAMajorityIsImpossibleAndCancelsEverywhere() {
		CompletableFuture<AcquireReply> answer = acquire();
		vote(0, new Vote.Granted(7, false));
		vote(1, refused("h", 20_000));
		vote(2, refused("h", 10_000));
		assertThat(answer).isNotDone();
		vote(3, refused("h", 30_000));
		Refused refused = (Refused) answer.join();
		assertThat(refused.holder().label()).isEqualTo("h");
		assertThat(refused.holder().remainingLease()).isEqualTo(Duration.ofSeconds(20));
		assertThat(cancellations()).hasSize(5);
	}

	@Test
	void letsRivalsTryAgainAtRandomWhenNobodyHasAMajority() {
		CompletableFuture<AcquireReply> answer = acquire();
		vote(0, new Vote.Granted(7, false));
		vote(1, new Vote.Granted(7, false));
		vote(2, refused("h", 30_000));
		vote(3, refused("h", 30_000));
		vote(4, refused("i", 30_000));
		Refused refused = (Refused) answer.join();
		assertThat(refused.holder().remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(1));
		assertThat(refused.position()).hasValue(42);
		assertThat(cancellations()).hasSize(5);
	}

	@Test
	void proposesAboveTheHighestCounterWithoutWaitingForTheRest() {
		CompletableFuture<AcquireReply> answer = acquire();
		long first = bases().get(0);
		vote(0, new Vote.Granted(first, false));
		vote(1, new Vote.TooLow(first + 5_000_000));
		vote(2, new Vote.TooLow(first + 9_000_000));
		assertThat(answer).isNotDone();
		ScriptedNode.Proposal second = this.nodes.get(0).proposals.element();
		assertThat(second.base()).isEqualTo(first + 9_000_000);
		assertThat(second.raise()).isTrue();
		assertThat(this.nodes.get(3).proposals).hasSize(2);
		each(0, 3, (node) -> node.vote(new Vote.Granted(second.base(), false)));
		assertThat(answer).isCompletedWithValue(new Granted(second.base(), false));
	}

	@Test
	void doesNotAddUpDifferentBases() {
		CompletableFuture<AcquireReply> answer = acquire();
		long first = bases().get(0);
		vote(0, new Vote.Granted(first, false));
		vote(1, new Vote.Granted(first + 1, false));
		vote(2, new Vote.Granted(first + 2, false));
		assertThat(answer).isNotDone();
		assertThat(this.nodes.get(0).proposals.element().base()).isGreaterThanOrEqualTo(first + 2);
	}

	@Test
	void doesNotFollowAServerWhoseClockIsFarAhead() {
		acquire();
		long first = bases().get(0);
		vote(0, new Vote.TooLow(first + 3 * REACH_MICROS));
		vote(1, new Vote.Granted(first, false));
		vote(2, new Vote.TooLow(first + 100));
		assertThat(this.nodes.get(0).proposals.element().base()).isLessThan(first + REACH_MICROS);
	}

	@Test
	void saysThatTheClocksAreTooFarApart() {
		CompletableFuture<AcquireReply> answer = acquire();
		for (int round = 0; round < 4; round++) {
			each(0, 5, (node) -> {
				ScriptedNode.Proposal last = null;
				while (!node.proposals.isEmpty()) {
					last = node.proposals.remove();
				}
				if (last != null) {
					last.vote().complete(new Vote.TooHigh());
				}
			});
		}
		assertFailure(answer, Reason.CLOCKS_APART);
	}

	@Test
	void waitsForServersThatDoNotVoteYet() {
		CompletableFuture<AcquireReply> answer = acquire();
		vote(0, new Vote.Granted(7, false));
		vote(1, new Vote.Abstained(Duration.ofSeconds(9)));
		vote(2, new Vote.Abstained(Duration.ofSeconds(4)));
		vote(3, new Vote.Abstained(Duration.ofSeconds(6)));
		vote(4, new Vote.Abstained(Duration.ofSeconds(6)));
		Refused refused = (Refused) answer.join();
		assertThat(refused.holder().label()).isEqualTo("nobody");
		assertThat(refused.holder().remainingLease()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(9));
		assertThat(refused.notReady()).isNotNull()
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.LOADING));
		assertThat(refused.position()).isPresent();
	}

	@Test
	void answersThatATenureWasEnded() {
		CompletableFuture<AcquireReply> answer = acquire();
		vote(0, new Vote.Ended());
		assertThat(answer).isCompletedWithValue(new AlreadyEnded());
		assertThat(cancellations()).hasSize(5);
	}

	@Test
	void failsWhenAMajorityFails() {
		CompletableFuture<AcquireReply> answer = acquire();
		each(0, 2, (node) -> node.fail(Reason.UNREACHABLE));
		vote(2, new Vote.Granted(7, false));
		assertThat(answer).isNotDone();
		this.nodes.get(3).fail(Reason.TIMEOUT);
		assertFailure(answer, Reason.UNREACHABLE);
		assertThat(cancellations()).hasSize(5);
	}

	@ParameterizedTest
	@CsvSource({ "READ_ONLY, false", "TIMEOUT, true" })
	void mayHaveRunIfItMayHaveOnOneOfThoseThatFailed(Reason last, boolean mayHaveRun) {
		CompletableFuture<AcquireReply> answer = acquire();
		each(0, 2, (node) -> node.fail(Reason.READ_ONLY));
		each(2, 4, (node) -> node.vote(new Vote.Granted(7, false)));
		this.nodes.get(4).fail(last);
		assertFailure(answer, Reason.READ_ONLY);
		assertThat(answer.handle((granted, failure) -> failure).join()).isInstanceOfSatisfying(
				LockBackendException.class, (failure) -> assertThat(failure.mayHaveRun()).isEqualTo(mayHaveRun));
	}

	@Test
	void failsInTimeWhenAMajorityIsSilent() {
		CompletableFuture<AcquireReply> answer = acquire();
		each(0, 2, (node) -> node.vote(new Vote.Granted(7, false)));
		await().atMost(Duration.ofSeconds(2)).until(answer::isDone);
		assertFailure(answer, Reason.TIMEOUT);
	}

	@Test
	void doesNotWaitAgainForServersThatWereSilent() throws Exception {
		acquire();
		each(0, 3, (node) -> node.vote(new Vote.Granted(7, false)));
		await().until(() -> this.nodes.get(4).proposals.element().vote().isDone());
		CompletableFuture<AcquireReply> answer = acquire();
		vote(0, new Vote.Granted(7, false));
		vote(1, new Vote.Granted(7, false));
		assertThat(answer).isNotDone();
		vote(2, refused("h", 30_000));
		assertThat(answer).isDone();
		CompletableFuture<AcquireReply> third = acquire();
		each(0, 2, (node) -> node.vote(new Vote.Granted(7, false)));
		this.nodes.get(4).proposals.forEach((proposal) -> proposal.vote().complete(new Vote.Granted(7, false)));
		assertThat(third.get(20, TimeUnit.SECONDS)).as("one that answers after all counts").isInstanceOf(Granted.class);
	}

	@Test
	void waitsForServersThatWereSilentIfTheOthersAreTooFew() {
		each(2, 5, (node) -> node.deaf = true);
		acquire();
		each(0, 2, (node) -> node.vote(new Vote.Granted(7, false)));
		each(2, 5, (node) -> await().until(() -> node.proposals.element().vote().isDone()));
		CompletableFuture<AcquireReply> answer = acquire();
		each(0, 2, (node) -> node.vote(new Vote.Granted(7, false)));
		assertThat(answer).isNotDone();
		vote(2, new Vote.Granted(7, false));
		assertThat(answer).isCompletedWithValue(new Granted(7, false));
	}

	@Test
	void waitsAgainForAServerThatDidNotAnswerAShortAttempt() {
		acquire(SHORT_LEASE);
		each(0, 3, (node) -> node.vote(new Vote.Granted(7, false)));
		each(3, 5, (node) -> await().until(() -> node.proposals.element().vote().isDone()));
		assertLateVoteCounts();
	}

	private void assertLateVoteCounts() {
		CompletableFuture<AcquireReply> answer = acquire();
		each(0, 2, (node) -> node.vote(new Vote.Granted(7, false)));
		vote(2, refused("h", 30_000));
		assertThat(answer).isNotDone();
		vote(3, new Vote.Granted(7, false));
		assertThat(answer).isCompletedWithValue(new Granted(7, false));
	}

	@Test
	void waitsForAServerWhoseAnswerToARenewalWasGivenUpSoon() {
		CompletableFuture<RenewalReply> renewal = renew();
		each(0, 2, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		this.nodes.get(2).replies.get(0).complete(RenewalReply.LOST);
		renewal.cancel(false);
		assertLateVoteCounts();
	}

	@Test
	void saysOnceThatAServerIsSilentAndNotForShortAttempts() {
		Logger logger = (Logger) LoggerFactory.getLogger(ServerHealth.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.list = new CopyOnWriteArrayList<>();
		log.start();
		logger.addAppender(log);
		logger.setLevel(Level.INFO);
		try {
			List<String> told = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				leaveWithoutVote(4, SHORT_LEASE);
			}
			for (int i = 0; i < 2; i++) {
				leaveWithoutVote(4, LEASE);
				leaveWithoutVote(4, SHORT_LEASE);
			}
			told.add("Redis at %s does not reply; the quorum continues without this server (no reply in 500 ms)"
				.formatted(this.nodes.get(4)));
			await().untilAsserted(() -> assertThat(messages(log)).isEqualTo(told));
			acquire();
			each(0, 5, (node) -> node.vote(new Vote.Granted(7, false)));
			told.add("Redis at %s replies again".formatted(this.nodes.get(4)));
			assertThat(messages(log)).isEqualTo(told);
			acquire();
			each(0, 4, (node) -> node.vote(new Vote.Granted(7, false)));
			this.nodes.get(4).fail(Reason.UNREACHABLE);
			told.add("Redis at %s does not reply; the quorum continues without this server (planted)"
				.formatted(this.nodes.get(4)));
			assertThat(messages(log)).as("one that is known to be down").isEqualTo(told);
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(log);
		}
	}

	/** Let all vote but one, until that one is waited for no longer. */
	private void leaveWithoutVote(int silent, Duration lease) {
		acquire(lease);
		each(0, silent, (node) -> node.vote(new Vote.Granted(7, false)));
		await().until(() -> this.nodes.get(silent).proposals.element().vote().isDone());
	}

	/** What was said of the servers of this test. */
	private List<String> messages(ListAppender<ILoggingEvent> log) {
		LockLog.flush();
		return log.list.stream()
			.map(ILoggingEvent::getFormattedMessage)
			.filter((message) -> this.nodes.stream().anyMatch((node) -> message.contains(node.toString())))
			.toList();
	}

	@Test
	void cancelsEverywhereWhenTheEngineGivesUp() {
		CompletableFuture<AcquireReply> answer = acquire();
		vote(0, new Vote.Granted(7, false));
		answer.cancel(false);
		assertThat(cancellations()).hasSize(5);
	}

	@Test
	void tellsAServerAgainThatMissedTheEndOfATenure() {
		this.nodes.get(4).deaf = true;
		CompletableFuture<AcquireReply> answer = acquire();
		each(0, 4, (node) -> node.vote(refused("h", 30_000)));
		assertThat(answer).isDone();
		ScriptedNode deaf = this.nodes.get(4);
		await().until(() -> !deaf.releases.isEmpty());
		deaf.releases.remove().fail();
		await().until(() -> !deaf.releases.isEmpty());
		assertThat(deaf.releases.element().command().tenure()).isEqualTo(tenure());
		assertThat(deaf.releases.element().command().intent()).isEqualTo(Intent.STAY);
		deaf.releases.remove().answer(Outcome.NOT_HELD);
		await().during(Duration.ofMillis(600)).until(deaf.releases::isEmpty);
	}

	@Test
	void tellsAServerAgainForWhichAnErrorWasThrown() {
		ScriptedNode failing = this.nodes.get(4);
		failing.failing = true;
		release();
		each(0, 4, (node) -> node.releases.remove().answer(Outcome.RELEASED));
		assertThat(owed()).isEqualTo(1);
		// As often as it is sent in vain.
		await().during(Duration.ofMillis(600)).until(() -> owed() == 1);
		failing.failing = false;
		await().until(() -> !failing.releases.isEmpty());
		failing.releases.remove().answer(Outcome.NOT_HELD);
		await().until(() -> owed() == 0);
	}

	@Test
	void majorityDecidesWithoutAServerForWhichAnErrorIsThrown() {
		this.nodes.get(0).failing = true;
		CompletableFuture<AcquireReply> answer = acquire();
		each(1, 4, (node) -> node.vote(new Vote.Granted(7, false)));
		assertThat(answer).isCompletedWithValue(new Granted(7, false));
		CompletableFuture<RenewalReply> renewal = renew();
		each(1, 4, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		assertThat(renewal).isCompletedWithValue(RenewalReply.HELD);
		CompletableFuture<Release.Reply> released = release();
		each(1, 4, (node) -> node.releases.remove().answer(Outcome.RELEASED));
		assertThat(released).isCompleted();
	}

	/** Its part of the lock is over there by itself. */
	@Test
	void tellsAServerNoMoreOfATenureWhoseLeaseIsOver() {
		ScriptedNode deaf = this.nodes.get(4);
		deaf.deaf = true;
		acquire(Duration.ofMillis(300));
		for (int i = 0; i < 3; i++) {
			vote(i, refused("h", 30_000));
		}
		assertThat(owed()).isEqualTo(1);
		await().until(() -> {
			deaf.releases.forEach(ScriptedNode.Ending::fail);
			return owed() == 0;
		});
	}

	@Test
	void forgetsTheOldestOfVeryManyTenuresThatAServerMissedTheEndOf() {
		ScriptedNode deaf = this.nodes.get(4);
		for (int i = 1; i <= MOST_OWED + 1; i++) {
			this.backend.release(new Release("a", new TenureId(CLIENT, i), Intent.LEAVE, null));
			each(0, 4, (node) -> node.releases.remove().answer(Outcome.RELEASED));
			failNext(deaf);
		}
		assertThat(owed()).isEqualTo(MOST_OWED);
		await().until(() -> failNext(deaf) == 2);
	}

	/** Fail all that is sent to a server, and return the first of those tenures. */
	private static long failNext(ScriptedNode deaf) {
		long first = 0;
		for (var ending = deaf.releases.poll(); ending != null; ending = deaf.releases.poll()) {
			first = (first > 0) ? first : ending.command().tenure().sequence();
			ending.fail();
		}
		return first;
	}

	@Test
	void endsNoTenureOnAServerThatMissedThatItGoesOnAsAReader() {
		var reply = release(Intent.DOWNGRADE);
		each(0, 4, (node) -> node.releases.remove().answer(Outcome.RELEASED));
		this.nodes.get(4).releases.remove().fail();
		assertThat(reply).isCompleted();
		assertThat(owed()).isZero();
	}

	@Test
	void hasReleasedWhenAMajorityHas() {
		CompletableFuture<Release.Reply> reply = release();
		each(0, 2, (node) -> node.releases.remove().answer(Outcome.NOT_HELD));
		each(2, 4, (node) -> node.releases.remove().answer(Outcome.RELEASED));
		assertThat(reply).isNotDone();
		this.nodes.get(4).releases.remove().answer(Outcome.RELEASED);
		assertThat(reply.join().outcome()).isEqualTo(Outcome.RELEASED);
	}

	@Test
	void hasNotHeldWhenAMajorityHasNot() {
		CompletableFuture<Release.Reply> reply = release();
		each(0, 2, (node) -> node.releases.remove().answer(Outcome.RELEASED));
		each(2, 5, (node) -> node.releases.remove().answer(Outcome.NOT_HELD));
		assertThat(reply.join().outcome()).isEqualTo(Outcome.NOT_HELD);
	}

	@Test
	void doesNotOustOneWhoseOwnReleaseIsStillOnItsWayToSome() {
		CompletableFuture<Release.Reply> reply = release(Intent.FORCE);
		each(0, 2, (node) -> node.releases.remove().answer(Outcome.RELEASED));
		this.nodes.get(2).releases.remove().answer(Outcome.RELEASED_BEFORE);
		assertThat(reply.join().outcome()).isEqualTo(Outcome.RELEASED_BEFORE);
	}

	@Test
	void hasReleasedWhenSomeHadDoneSoBefore() {
		CompletableFuture<Release.Reply> reply = release();
		each(0, 2, (node) -> node.releases.remove().answer(Outcome.RELEASED_BEFORE));
		this.nodes.get(2).releases.remove().answer(Outcome.RELEASED);
		assertThat(reply.join().outcome()).isEqualTo(Outcome.RELEASED);
	}

	@Test
	void failsToReleaseWhenAMajorityIsUnreachableAndTellsItAgain() {
		CompletableFuture<Release.Reply> reply = release();
		each(0, 2, (node) -> node.releases.remove().answer(Outcome.RELEASED));
		each(2, 5, (node) -> node.releases.remove().fail());
		assertFailure(reply, Reason.UNREACHABLE);
		each(2, 5, (node) -> await().until(() -> !node.releases.isEmpty()));
	}

	@Test
	void holdsWhileAMajorityHolds() {
		CompletableFuture<RenewalReply> reply = renew();
		each(0, 2, (node) -> node.replies.get(0).complete(RenewalReply.LOST));
		each(2, 5, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		assertThat(reply).isCompletedWithValue(RenewalReply.HELD);
	}

	@Test
	void isLostWhenAMajorityDoesNotHold() {
		CompletableFuture<RenewalReply> reply = renew();
		each(0, 2, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		each(2, 5, (node) -> node.replies.get(0).complete(RenewalReply.LOST));
		assertThat(reply).isCompletedWithValue(RenewalReply.LOST);
	}

	@Test
	void isUndecidedWhenTooFewAnswer() {
		CompletableFuture<RenewalReply> reply = renew();
		each(0, 2, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		each(2, 4, (node) -> node.replies.get(0).complete(RenewalReply.LOST));
		assertThat(reply).isNotDone();
		this.nodes.get(4).replies.get(0)
			.completeExceptionally(new LockBackendException("a", Reason.UNREACHABLE, "planted", null));
		assertFailure(reply, Reason.UNREACHABLE);
	}

	@Test
	void putsATenureBackWhereItWasForgottenWhenAMajorityHasConfirmedIt() {
		CompletableFuture<RenewalReply> reply = renew();
		this.nodes.get(0).replies.get(0).complete(RenewalReply.LOST);
		each(2, 4, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		assertThat(putBacks()).as("before").isEmpty();
		this.nodes.get(4).replies.get(0).complete(RenewalReply.HELD);
		assertThat(reply).isCompletedWithValue(RenewalReply.HELD);
		this.nodes.get(1).replies.get(0).complete(RenewalReply.LOST);
		assertThat(putBacks()).extracting(Renew::tenure).containsExactly(tenure(), tenure());
		assertThat(this.nodes.get(0).putBacks).hasSize(1);
		assertThat(this.nodes.get(1).putBacks).hasSize(1);
	}

	@Test
	void putsNothingBackWithoutAMajority() {
		renew();
		each(0, 2, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		each(2, 4, (node) -> node.replies.get(0).complete(RenewalReply.LOST));
		this.nodes.get(4).replies.get(0)
			.completeExceptionally(new LockBackendException("a", Reason.UNREACHABLE, "planted", null));
		this.nodes.forEach((node) -> node.replies.clear());
		renew();
		each(0, 3, (node) -> node.replies.get(0).complete(RenewalReply.LOST));
		each(3, 5, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		assertThat(putBacks()).isEmpty();
	}

	@Test
	void putsNothingBackThatIsOnlyAskedFor() {
		this.backend.renew(List.of(new Renew("a", tenure(), 1, Duration.ZERO, TERMS)));
		this.backend.renew(List.of(new Renew("a", tenure(), 1, LEASE)));
		this.nodes.get(0).replies.forEach((reply) -> reply.complete(RenewalReply.LOST));
		each(1, 5, (node) -> node.replies.forEach((reply) -> reply.complete(RenewalReply.HELD)));
		assertThat(putBacks()).isEmpty();
	}

	private List<Renew> putBacks() {
		return this.nodes.stream().flatMap((node) -> node.putBacks.stream()).toList();
	}

	@Test
	void asksAServerThatAnswersAgainWhetherItHasItsMemory() {
		acquire();
		each(0, 3, (node) -> node.vote(new Vote.Granted(7, false)));
		this.nodes.get(4).fail(Reason.UNREACHABLE);
		assertThat(this.nodes.get(4).connects).hasValue(0);
		acquire();
		vote(4, new Vote.Granted(7, false));
		assertThat(this.nodes.get(4).connects).hasValue(1);
		assertThat(this.nodes.get(3).connects).hasValue(0);
	}

	@Test
	void refusesToRenewForLongerThanAllowed() {
		Renew longer = new Renew("a", tenure(), 1, LEASE.plusMillis(1));
		Renew usual = new Renew("b", tenure(), 1, LEASE);
		List<CompletableFuture<RenewalReply>> replies = this.backend.renew(List.of(longer, usual));
		assertFailure(replies.get(0), Reason.NOT_SUPPORTED);
		each(0, 3, (node) -> node.replies.get(0).complete(RenewalReply.HELD));
		assertThat(replies.get(1)).isCompletedWithValue(RenewalReply.HELD);
	}

	@Test
	void listensWithAMajority() {
		each(0, 2, (node) -> node.listening = false);
		assertThat(this.backend.isSubscribed()).isTrue();
		this.nodes.get(2).listening = false;
		assertThat(this.backend.isSubscribed()).isFalse();
	}

	@Test
	void tellsHowManyServersAnswerAndVote() {
		var probe = this.backend.probe();
		each(0, 3, (node) -> node.findings.complete(new QuorumNode.Findings(true, "up", "allowed")));
		this.nodes.get(3).findings.complete(new QuorumNode.Findings(false, "down", "allowed"));
		this.nodes.get(4).findings
			.completeExceptionally(new LockBackendException("a", Reason.UNREACHABLE, "planted", null));
		assertThat(probe.join()).containsEntry("servers", 5)
			.containsEntry("answering", 4)
			.containsEntry("voting", 3L)
			.containsEntry("subscribed", 3L)
			.containsEntry("subscription", "up")
			.containsEntry("messages", "allowed");
	}

	@Test
	void isNotHealthyWithoutAMajorityThatVotes() {
		var probe = this.backend.probe();
		each(0, 2, (node) -> node.findings.complete(new QuorumNode.Findings(true, "up", "allowed")));
		each(2, 5, (node) -> node.findings.complete(new QuorumNode.Findings(false, "up", "allowed")));
		assertFailure(probe, Reason.LOADING);
	}

	/** How many ends of tenures servers are still to be told of. */
	private int owed() {
		this.nodes.forEach((node) -> node.findings.complete(new QuorumNode.Findings(true, "up", "allowed")));
		return (int) this.backend.probe().join().get("releasesOwed");
	}

	private CompletableFuture<AcquireReply> acquire() {
		return acquire(LEASE);
	}

	private CompletableFuture<AcquireReply> acquire(Duration lease) {
		this.nodes.forEach((node) -> node.proposals.clear());
		return this.backend.acquire(new Acquire("a", tenure(), LockType.REENTRANT, "me", lease,
				new Waiting(OptionalLong.empty(), Duration.ZERO, true)));
	}

	private CompletableFuture<Release.Reply> release() {
		return release(Intent.LEAVE);
	}

	private CompletableFuture<Release.Reply> release(Intent intent) {
		return this.backend.release(new Release("a", tenure(), intent, null));
	}

	private CompletableFuture<RenewalReply> renew() {
		return this.backend.renew(List.of(new Renew("a", tenure(), 1, LEASE, TERMS))).get(0);
	}

	private static TenureId tenure() {
		return new TenureId(CLIENT, 1);
	}

	private void vote(int node, Vote vote) {
		this.nodes.get(node).vote(vote);
	}

	private void each(int from, int to, Consumer<ScriptedNode> action) {
		this.nodes.subList(from, to).forEach(action);
	}

	private static Vote refused(String holder, long remaining) {
		return new Vote.Refused(new LockBackend.Refused(
				new Holder(holder, Duration.ofMillis(3), Duration.ofMillis(remaining)), OptionalLong.of(42), 1));
	}

	private List<Long> bases() {
		return this.nodes.stream().map((node) -> node.proposals.element().base()).distinct().toList();
	}

	private List<TenureId> cancellations() {
		List<TenureId> cancelled = new ArrayList<>();
		this.nodes.forEach((node) -> cancelled.addAll(node.cancelled));
		return cancelled;
	}

	private static void assertFailure(CompletableFuture<?> answer, Reason reason) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(answer::join)
			.havingCause()
			.isInstanceOfSatisfying(LockBackendException.class,
					(failure) -> assertThat(failure.reason()).isEqualTo(reason));
	}

}
