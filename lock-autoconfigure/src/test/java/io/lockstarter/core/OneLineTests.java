package io.lockstarter.core;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OneLine}, and for messages that name locks.
 */
class OneLineTests {

	private static final String NAME = "order:7\r\n2026-01-01 WARN \u2028\u0085\t\u001b[31m";

	private static final String SHOWN = "order:7\\u000D\\u000A2026-01-01 WARN \\u2028\\u0085\\u0009\\u001B[31m";

	@Test
	void showsWhatIsNoTextByItsCode() {
		assertThat(OneLine.of(NAME)).isEqualTo(SHOWN);
	}

	@Test
	void leavesTextAsItIs() {
		String text = "order:\u00e4 \ud83d\ude00\\n'";
		assertThat(OneLine.of(text)).isSameAs(text);
	}

	@Test
	void messagesOfExceptionsAreOneLine() {
		LockException failure = new LockAcquisitionTimeoutException(NAME, Duration.ofSeconds(1), null);
		assertThat(failure.getMessage()).contains("'" + SHOWN + "'");
		assertThat(failure.lockName()).isEqualTo(NAME);
	}

	@Test
	void lossIsToldOnOneLine() {
		LockLoss loss = new LockLoss(NAME, "order", LockType.REENTRANT, LockOwner.create("job"), 1,
				LockLoss.Reason.NOT_OWNED, Instant.now(), Duration.ofSeconds(1), null);
		assertThat(loss.toString()).contains("'" + SHOWN + "'").doesNotContain("\n");
		assertThat(new LockLostException(loss)).hasMessageContaining("'" + SHOWN + "'");
	}

}
