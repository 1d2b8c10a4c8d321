package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long the single locks of several that are taken as one are waited for.
 */
class MultiRequestTests {

	/** Else it would be told of as one that did not want to wait. */
	@Test
	void waitsForTheLastEvenIfTheOthersHaveTakenAllTheTime() {
		MultiRequest joint = joint(Duration.ofNanos(1));
		assertThat(joint.next(1).waitTime()).isPositive();
	}

	@Test
	void waitsForNoneIfItIsNotToWait() {
		MultiRequest joint = joint(Duration.ZERO);
		assertThat(joint.next(0).waitTime()).isZero();
		assertThat(joint.next(1).waitTime()).isZero();
	}

	private static MultiRequest joint(Duration wait) {
		return new MultiRequest(List.of(LockRequest.of("a"), LockRequest.of("b")), LockOwner.create("joint"),
				(request) -> wait);
	}

}
