package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Vigil}, by a clock that goes on by a microsecond at each look.
 */
class VigilTests {

	private static final Duration LONGEST = Duration.ofNanos(100_000);

	private static final int ON_TIME = 50;

	private static final int NEVER = Integer.MAX_VALUE;

	private final AtomicInteger underWay = new AtomicInteger(1);

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10_000);

	private final Vigil vigil = vigil(LONGEST, 2);

	private Vigil vigil(Duration longest, int processors) {
		return new Vigil(longest, this.underWay::get, () -> this.clock.addAndGet(1000), processors);
	}

	@Test
	void staysAwakeUntilTheReply() {
		assertThat(looks(this.vigil, ON_TIME)).isEqualTo(ON_TIME);
	}

	@Test
	void staysAwakeNoLongerThanItMay() {
		assertThat(looks(this.vigil, NEVER)).isBetween(95, 105);
	}

	@Test
	void sleepsAtOnceWhereThereIsNoOtherProcessor() {
		assertThat(looks(vigil(LONGEST, 1), ON_TIME)).isZero();
	}

	@Test
	void sleepsAtOnceIfItMayNotStayAwake() {
		assertThat(looks(vigil(Duration.ZERO, 2), ON_TIME)).isZero();
	}

	@Test
	void sleepsAtOnceWhileOtherCommandsAreUnderWay() {
		this.underWay.set(2);
		assertThat(looks(this.vigil, ON_TIME)).isLessThan(2);
	}

	@Test
	void staysAwakeForAllCommandsThatItWaitsFor() {
		this.underWay.set(2);
		AtomicInteger looks = new AtomicInteger();
		this.vigil.keep(() -> looks.incrementAndGet() >= ON_TIME, 2);
		assertThat(looks).hasValue(ON_TIME);
	}

	@Test
	void sleepsWhenAnotherCommandIsSent() {
		assertThat(looks(this.vigil, (looks) -> {
			this.underWay.set((looks < 10) ? 1 : 2);
			return false;
		})).isEqualTo(10);
	}

	@Test
	void staysAwakeWhileTheAnswerIsHandled() {
		assertThat(looksAfterAnswer(10)).isEqualTo(10);
	}

	@Test
	void sleepsSoonIfTheAnswerIsNotWhatItWaitsFor() {
		for (int i = 0; i < 100; i++) {
			assertThat(looksAfterAnswer(NEVER)).as("not taken for late").isBetween(15, 25);
		}
	}

	private int looksAfterAnswer(int arrival) {
		return looks(this.vigil, (looks) -> {
			this.underWay.set((looks > 1) ? 0 : 1);
			return looks >= arrival;
		});
	}

	@Test
	void keepsOnlyOneThreadAwake() {
		AtomicInteger others = new AtomicInteger();
		int looks = looks(this.vigil, (look) -> {
			if (look > 1) {
				others.addAndGet(looks(this.vigil, ON_TIME) - 1);
			}
			return look == ON_TIME;
		});
		assertThat(looks).isEqualTo(ON_TIME);
		assertThat(others).hasValue(0);
	}

	@Test
	void triesSeldomIfRepliesAreLate() {
		assertThat(awake(10_000, NEVER)).isBetween(32 * 12, 32 * 17);
	}

	@Test
	void triesSeldomIfEveryThirdReplyIsLate() {
		int awake = 0;
		for (int i = 0; i < 20_000; i++) {
			awake += isAwake((i % 3 == 0) ? NEVER : ON_TIME) ? 1 : 0;
		}
		assertThat(awake).isLessThan(7000);
	}

	@Test
	void staysAwakeWhileFewRepliesAreLate() {
		for (int i = 0; i < 1000; i++) {
			assertThat(isAwake((i % 6 == 0) ? NEVER : ON_TIME)).isTrue();
		}
	}

	@Test
	void stopsAfterSomeLateReplies() {
		awake(1000, ON_TIME);
		assertThat(awake(1000, NEVER)).isGreaterThanOrEqualTo(32);
		sleepAndWake(NEVER);
		assertThat(awake(100, NEVER)).as("after the first one").isEqualTo(31);
	}

	@Test
	void triesAgainSoonAfterRepliesWereInTime() {
		awake(10_000, NEVER);
		sleepAndWake(ON_TIME);
		awake(63, ON_TIME);
		assertThat(awake(48, NEVER)).isEqualTo(48);
		assertThat(awake(17, ON_TIME)).as("of those after 48 in a row that were late").isEqualTo(1);
	}

	@Test
	void triesSeldomAsBeforeIfFewRepliesWereInTime() {
		awake(10_000, NEVER);
		sleepAndWake(ON_TIME);
		awake(16, ON_TIME);
		assertThat(awake(100, NEVER)).isEqualTo(37);
		assertThat(awake(900, ON_TIME)).isZero();
	}

	/** Go on until there is a pause, and then to the first reply after it. */
	private void sleepAndWake(int arrival) {
		assertThat(IntStream.range(0, 100).filter((i) -> !isAwake(NEVER)).findFirst()).isNotEmpty();
		assertThat(IntStream.range(0, 2000).filter((i) -> isAwake(arrival)).findFirst()).isNotEmpty();
	}

	private int awake(int replies, int arrival) {
		int awake = 0;
		for (int i = 0; i < replies; i++) {
			awake += isAwake(arrival) ? 1 : 0;
		}
		return awake;
	}

	private boolean isAwake(int arrival) {
		return looks(this.vigil, arrival) > 1;
	}

	/** How often it is looked whether a reply has arrived that does after some looks. */
	private static int looks(Vigil vigil, int arrival) {
		return looks(vigil, (looks) -> looks >= arrival);
	}

	private static int looks(Vigil vigil, IntPredicate arrived) {
		AtomicInteger looks = new AtomicInteger();
		vigil.keep(() -> arrived.test(looks.incrementAndGet()), 1);
		return looks.get();
	}

}
