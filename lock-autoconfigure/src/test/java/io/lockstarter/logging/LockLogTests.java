package io.lockstarter.logging;

import java.util.stream.IntStream;

import io.lockstarter.testing.BlockedLog;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link LockLog}.
 */
class LockLogTests {

	private static final LockLog LOG = LockLog.of(LockLogTests.class);

	@Test
	void keepsOrder() {
		try (BlockedLog blocked = BlockedLog.begin()) {
			IntStream.range(0, 100).forEach((i) -> LOG.info("message " + i));
			blocked.release();
			LockLog.flush();
			assertThat(blocked.lines())
				.containsExactlyElementsOf(IntStream.range(0, 100).mapToObj((i) -> "message " + i).toList());
		}
	}

	@Test
	void dropsAndCountsWhatIsTooMuch() {
		try (BlockedLog blocked = BlockedLog.begin()) {
			IntStream.range(0, 10_101).forEach((i) -> LOG.info("message"));
			blocked.release();
			LockLog.flush();
			LOG.info("later");
			LockLog.flush();
			assertThat(blocked.lines()).hasSizeBetween(10_001, 10_003)
				.contains("later")
				.anyMatch((line) -> line.matches("(99|100|101|102) messages about locks were dropped, .*"));
		}
	}

	@Test
	void saysWhatIsWrittenLate() {
		try (BlockedLog blocked = BlockedLog.begin()) {
			LogWriter.write(new LogWriter.Entry((text, cause) -> LOG.warn(text, cause), "message", null,
					System.nanoTime() - 5_000_000_000L));
			blocked.release();
			LockLog.flush();
			LockLog.flush();
			assertThat(blocked.lines()).containsExactly("message (5 s late)");
		}
	}

	@Test
	void appenderThatThrowsDoesNotEndIt() {
		try (BlockedLog blocked = BlockedLog.begin()) {
			blocked.release();
			LogWriter.write(new LogWriter.Entry((text, cause) -> {
				throw new OutOfMemoryError("planted");
			}, "message", null, System.nanoTime()));
			LOG.info("next");
			LockLog.flush();
			assertThat(blocked.lines()).containsExactly("next");
		}
	}

}
