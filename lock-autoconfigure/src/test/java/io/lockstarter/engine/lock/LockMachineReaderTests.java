package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.OptionalLong;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.engine.lease.Lease;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the machine of a name does with readers, and with writers that read on.
 */
class LockMachineReaderTests extends LockMachineFixture {

	@Test
	void letsReadersJoin() {
		hold("a", LockType.READ);
		request("b", LockType.READ);
		expect("grant b JOINED");
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASED);
		expect();
		assertThat(unlock("b")).isEqualTo(UnlockResult.RELEASING);
		expect("release 1 STAY", "stop 1");
		answer(Outcome.RELEASED);
		expect("released b", "retire");
	}

	@Test
	void letsNoReaderJoinATenureThatTheServerHasNotLatelyConfirmed() {
		hold("a", LockType.READ);
		pass(AGE);
		request("b", LockType.READ);
		expect("ask 2 READ registers");
		grant(50);
		expect("grant b ACQUIRED", "renew 2");
		request("c", LockType.READ);
		expect("grant c JOINED");
		assertThat(this.holds.get("c").token()).isEqualTo(50 * 1024 + 1);
	}

	/** Its own share would outlast the release of those who read. */
	@Test
	void letsNoReaderJoinForWhomTheServerIsAsked() {
		hold("a", LockType.READ);
		pass(AGE);
		request("b", LockType.READ);
		tenureOf("a").lease().confirm(Lease.of(this.now, LEASE), this.now);
		request("c", LockType.READ);
		expect("ask 2 READ registers");
		grant(50);
		expect("grant b ACQUIRED", "grant c JOINED", "renew 2");
	}

	@Test
	void admitsAllReadersAtTheHeadWithOneGrant() {
		request("a", LockType.READ);
		request("b", LockType.READ);
		request("c", LockType.WRITE);
		request("d", LockType.READ);
		grant(5);
		expect("ask 1 READ registers", "grant a ACQUIRED", "grant b JOINED", "renew 1", "ask 2 WRITE registers");
	}

	@Test
	void letsNoReaderJoinWhileAWriterWaitsElsewhere() {
		hold("a", LockType.READ);
		contended();
		request("b", LockType.READ);
		expect("ask 2 READ registers");
	}

	@Test
	void asksForAWriterBesideReaders() {
		hold("a", LockType.READ);
		request("b", LockType.WRITE);
		refuse(7);
		expect("ask 2 WRITE registers", "recheck 1000..30001");
		unlock("a");
		answer(Outcome.RELEASED);
		wake();
		grant(50);
		expect("release 1 STAY", "stop 1", "released a", "no recheck", "ask 2 WRITE registers at 7", "grant b ACQUIRED",
				"renew 2");
	}

	@Test
	void refusesAReaderToWrite() {
		hold("a", LockType.READ);
		requestAgain("b", "a", LockType.WRITE);
		expect("fail b: LockUpgradeException");
		assertThat(this.machine.waiting()).isZero();
	}

	@Test
	void letsAWriterRead() {
		hold("a", LockType.WRITE);
		requestAgain("b", "a", LockType.READ);
		expect("grant b JOINED");
		assertThat(this.holds.get("b").token()).isEqualTo(this.holds.get("a").token());
		unlock("b");
		expect();
	}

	@Test
	void isSharedOnlyWhenTheBackendHasConfirmedThatTheWriterReadsOn() {
		readsOn();
		request("c", LockType.READ);
		tries("d", LockType.READ);
		expect();
		answer(Outcome.RELEASED);
		expect("grant c JOINED", "grant d JOINED");
		assertState(BackendState.Idle.class);
	}

	@Test
	void asksAgainToLetOthersInBesideTheOneThatWrote() {
		readsOn();
		tries("c", LockType.READ);
		expect();
		releaseFails(Reason.TIMEOUT);
		expect("refuse c", "downgrade 1 later");
		this.machine.downgradeAgain(tenureOf("b"), this.now);
		take();
		expect("release 1 DOWNGRADE");
	}

	@Test
	void refusesOneThatTriesToWriteWhileTheWriterIsAboutToReadOn() {
		readsOn();
		tries("c", LockType.WRITE);
		expect("refuse c");
	}

	@Test
	void releasesTheLockOfAWriterThatReadsNoMoreBeforeTheConfirmation() {
		readsOn();
		request("c", LockType.WRITE);
		unlock("b");
		expect("release 1 RETURN", "stop 1");
		Effect.SendRelease downgrade = this.releases.remove(0);
		this.machine.released(downgrade, new Release.Reply(Outcome.RELEASED, OptionalLong.empty()), null, this.now,
				this.now);
		this.machine.downgradeAgain(downgrade.tenure(), this.now);
		take();
		expect();
	}

	@Test
	void losesTheReadingOfAWriterThatWasLostBefore() {
		readsOn();
		answer(Outcome.NOT_HELD);
		expect("stop 1", "lost b: NOT_OWNED", "retire");
	}

	@Test
	void endsAShareWhoseLastReaderHasEnded() {
		hold("a", LockType.READ);
		endOwner("a");
		expect("lost a: OWNER_ENDED", "release 1 STAY", "stop 1");
	}

	@Test
	void endsTheTenureOfAWriterThatHasGoneForAReader() {
		queued("a", LockType.WRITE);
		request("b", LockType.READ);
		withdraw("a");
		expect("no recheck", "leave 1", "ask 2 READ registers at 7");
		directGrant(1, 5);
		refuse(7);
		expect("leave 1", "recheck 1000..30001");
		directGrant(2, 6);
		expect("no recheck", "grant b ACQUIRED", "renew 2");
	}

	@Test
	void endsAGrantThatCameBeforeTheWriterHadGone() {
		request("a", LockType.WRITE);
		request("b", LockType.READ);
		directGrant(1, 5);
		withdraw("a");
		refuse(7);
		grant(6);
		expect("ask 1 WRITE registers", "leave 1", "ask 2 READ registers at 7", "grant b ACQUIRED", "renew 2");
	}

	@Test
	void admitsReadersThatWaitEvenIfAWriterWaitsElsewhereByThen() {
		request("a", LockType.READ);
		request("b", LockType.READ);
		grant(5, true);
		request("c", LockType.READ);
		expect("ask 1 READ registers", "grant a ACQUIRED", "grant b JOINED", "renew 1", "ask 2 READ registers");
	}

	@Test
	void letsOneOwnerThatAskedTwiceReadUntilItHasReleasedTwice() {
		request("a", LockType.READ);
		requestAgain("b", "a", LockType.READ);
		grant(5);
		expect("ask 1 READ registers", "grant a ACQUIRED", "grant b REENTERED", "count 1", "renew 1");
		assertThat(unlock("b")).isEqualTo(UnlockResult.STILL_HELD);
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
		expect("count 1", "release 1 STAY", "stop 1");
		assertThat(this.releases.get(0).tenure().count()).isOne();
	}

	@Test
	void asksForAShareOfItsOwnForAReaderForWhomAShareHasNoToken() {
		for (int i = 0; i <= BLOCK; i++) {
			request("" + i, LockType.READ);
		}
		grant(5);
		assertThat(this.holds).hasSize(BLOCK);
		assertThat(this.holds.get("" + (BLOCK - 1)).token()).isEqualTo(5 * 1024 + BLOCK - 1);
		assertThat(this.effects).endsWith("ask 2 READ registers");
		this.effects.clear();
		grant(50);
		expect("grant %d ACQUIRED".formatted(BLOCK), "renew 2");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void answersOneThatTriesToReadTogetherWithAReaderThatIsAskedForAgain(boolean granted) {
		request("a", LockType.READ);
		tries("b", LockType.READ);
		refuse(7);
		expect("ask 1 READ registers", "recheck 1000..30001", "no recheck", "ask 1 READ registers at 7");
		if (granted) {
			grant(5);
			expect("grant a ACQUIRED", "grant b JOINED", "renew 1");
		}
		else {
			refuse(7);
			expect("refuse b", "recheck 1000..30001");
		}
	}

	/** Readers would join what the backend has no more. */
	@Test
	void keepsNothingOfAWriteLockThatHasEndedBeforeTheConfirmation() {
		readsOn();
		unlock("b");
		answer(Outcome.RELEASED);
		request("c", LockType.READ);
		expect("release 1 LEAVE", "stop 1");
		answer(Outcome.RELEASED);
		expect("released b", "ask 2 READ registers");
	}

	@Test
	void keepsTheShareWhenOneOfItsReadersIsLost() {
		hold("a", LockType.READ);
		request("b", LockType.READ);
		this.effects.clear();
		endOwner("a");
		assertThat(unlock("a")).isEqualTo(UnlockResult.LOST);
		expect("lost a: OWNER_ENDED", "a knows of the loss");
		unlock("b");
		expect("release 1 STAY", "stop 1");
	}

	@Test
	void losesAllReadersWithTheirShare() {
		hold("a", LockType.READ);
		request("b", LockType.READ);
		this.effects.clear();
		loseTenure("b");
		assertThat(this.effects).containsExactlyInAnyOrder("stop 1", "lost a: NOT_OWNED", "lost b: NOT_OWNED",
				"retire");
	}

	@Test
	void losesAShareWhoseLeaseIsOver() {
		hold("a", LockType.READ);
		pass(LEASE);
		request("b", LockType.READ);
		expect("stop 1", "lost a: LEASE_EXPIRED", "ask 2 READ registers");
	}

	@Test
	void losesNoReaderThatWasReleasedMeanwhile() {
		hold("a", LockType.READ);
		request("b", LockType.READ);
		unlock("a");
		this.effects.clear();
		endOwner("a");
		expect();
	}

	@Test
	void givesAReaderWithALeaseOfItsOwnAShareOfItsOwn() {
		hold("a", LockType.READ);
		enter(waiter("b", LockType.READ, LockRequest.FOREVER, LEASE, false));
		grant(50);
		expect("ask 2 READ registers", "grant b ACQUIRED", "renew 2");
		unlock("a");
		unlock("b");
		expect("release 1 STAY", "stop 1", "release 2 STAY", "stop 2");
	}

	@Test
	void losesTheReadingOfAWriterWhoseLeaseRanOut() {
		readsOn();
		pass(LEASE);
		answer(Outcome.NOT_HELD);
		expect("stop 1", "lost b: LEASE_EXPIRED", "retire");
	}

	@Test
	void letsOneThatTriesToReadInIfTheWriterBeforeItHasGone() {
		request("a", LockType.WRITE);
		tries("b", LockType.READ);
		withdraw("a");
		refuse(7);
		grant(5);
		expect("ask 1 WRITE registers", "recheck 1000..30001", "no recheck", "leave 1", "ask 2 READ",
				"grant b ACQUIRED", "renew 2");
	}

}
