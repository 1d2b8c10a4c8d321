package io.lockstarter.engine.lock;

import java.time.Duration;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whom the machine of a name fails with a question, and what it ends in the backend.
 */
class LockMachineFailureTests extends LockMachineFixture {

	@ParameterizedTest
	@EnumSource(value = Reason.class, mode = Mode.INCLUDE, names = { "READ_ONLY", "OUT_OF_MEMORY", "NOT_AUTHORIZED" })
	void failsAFirstRequestAtOnce(Reason reason) {
		request("a");
		request("b");
		fail(reason);
		expect("ask 1 REENTRANT registers", "fail a: " + reason, "fail b: " + reason, "retire");
	}

	@ParameterizedTest
	@EnumSource(value = Reason.class, mode = Mode.INCLUDE, names = { "TIMEOUT", "UNREACHABLE", "NOT_REPLICATED" })
	void endsWhatMayHaveBeenGranted(Reason reason) {
		request("a");
		fail(reason);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: " + reason, "retire");
	}

	@Test
	void endsNothingThatWasNeverSent() {
		request("a");
		this.machine.failed(false, failure(Reason.UNREACHABLE), this.now);
		take();
		expect("ask 1 REENTRANT registers", "fail a: UNREACHABLE", "retire");
	}

	@ParameterizedTest
	@EnumSource
	void failsOnlyTheRequestThatTheBackendCannotServe(LockType type) {
		request("a", type);
		request("b");
		fail(Reason.NOT_SUPPORTED);
		expect("ask 1 " + type + " registers", "fail a: NOT_SUPPORTED", "ask 2 REENTRANT registers");
	}

	@ParameterizedTest
	@EnumSource
	void failsOnlyTheRequestWhoseLeaseIsShort(LockType type) {
		enter(waiter("a", type, LockRequest.FOREVER, SHORT, false));
		request("b");
		enter(waiter("c", type, LockRequest.FOREVER, SHORT, false));
		fail(Reason.TIMEOUT);
		expect("ask 1 " + type + " registers", "end 1", "fail a: TIMEOUT", "ask 2 REENTRANT registers");
	}

	@Test
	void failsThoseTooThatHaveWaitedAsLongAsForALongLease() {
		fixed("a", Duration.ofMillis(60));
		request("b");
		pass(Duration.ofSeconds(2));
		fail(Reason.TIMEOUT);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: TIMEOUT", "fail b: TIMEOUT", "retire");
	}

	/** It may have been carried out before, and its reply lost. */
	@ParameterizedTest
	@EnumSource
	void endsWhatWasRefusedWhenItWasSentAgain(Reason reason) {
		request("a");
		failsWhenSentAgain(reason);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: " + reason, "retire");
	}

	/** Thousands of requests may be refused a second. */
	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "TIMEOUT", "UNREACHABLE", "NOT_REPLICATED" })
	void endsNothingThatWasRefusedAtOnce(Reason reason) {
		request("a");
		fail(reason);
		expect("ask 1 REENTRANT registers", "fail a: " + reason, "retire");
	}

	@Test
	void failsAWriterThatComesWhileOthersHereRead() {
		hold("a", LockType.READ);
		request("b", LockType.WRITE);
		fail(Reason.UNREACHABLE);
		expect("ask 2 WRITE registers", "end 2", "fail b: UNREACHABLE");
	}

	@Test
	void failsNobodyIfTheOneThatTheBackendCannotServeHasGone() {
		request("a");
		request("b");
		withdraw("a");
		fail(Reason.NOT_SUPPORTED);
		expect("ask 1 REENTRANT registers", "ask 2 REENTRANT registers");
	}

	@Test
	void failsOneThatTheBackendCannotServeThoughItStandsInTheQueue() {
		queued("a");
		request("b");
		wake();
		fail(Reason.NOT_SUPPORTED);
		expect("no recheck", "ask 1 REENTRANT registers at 7", "fail a: NOT_SUPPORTED",
				"ask 1 REENTRANT registers at 7");
	}

	@Test
	void failsOnlyTheAttemptWhoseLeaseIsShort() {
		enter(waiter("a", LockType.REENTRANT, Duration.ZERO, SHORT, false));
		request("b");
		fail(Reason.TIMEOUT);
		expect("ask 1 REENTRANT", "end 1", "fail a: TIMEOUT", "ask 2 REENTRANT registers");
	}

	@Test
	void failsAllIfTheTimeoutIsTheSameForAll() {
		request("a");
		fixed("b", Duration.ofMinutes(1));
		fail(Reason.TIMEOUT);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: TIMEOUT", "fail b: TIMEOUT", "retire");
	}

	@Test
	void endsWhatMayHaveBeenGrantedForAsLongAsItsLease() {
		fixed("a", Duration.ofMinutes(2));
		fail(Reason.UNREACHABLE);
		assertThat(this.ended.longest()).isEqualTo(Duration.ofMinutes(2));
	}

}
