package io.lockstarter.verification.history.recording;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import io.lockstarter.core.LockType;
import io.lockstarter.verification.history.recording.Grant.GrantKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests that recorded histories are read, even if a killed JVM left them incomplete.
 */
class HistoryReaderTests {

	private static final Grant GRANT = new Grant(7, 1, "key", LockType.FAIR, "actor", 42, 100, 200, 1200,
			GrantKind.HANDED_OVER, 4);

	private static final Visit VISIT = new Visit(true, false, true, false);

	private Path file;

	@BeforeEach
	void record(@TempDir Path folder) {
		this.file = folder.resolve("history");
		try (Recorder recorder = new Recorder(this.file)) {
			recorder.opened("client");
			recorder.requested(90, 1000);
			recorder.completed(200);
			recorder.granted(GRANT);
			recorder.extended("key", LockType.FAIR, 42, 1500);
			recorder.leaving(1, 300, VISIT, 1400);
			recorder.released(1, 310, ReleaseOutcome.LOST);
			recorder.lost("key", LockType.FAIR, 42, 290, "NOT_OWNED");
			recorder.missed(new Miss(7, "key", LockType.READ, 400, 500, "TIMEOUT"));
			recorder.stalled(new Span(600, 700));
			recorder.blocked(new Span(650, 750));
			recorder.requested(790, 2000);
			recorder.closing("client", 800);
			recorder.anomaly("odd\nthing");
		}
	}

	@Test
	void readsWhatWasRecorded() throws IOException {
		JvmHistory history = HistoryReader.read(7, this.file);
		assertThat(history.holds()).singleElement().satisfies((hold) -> {
			assertThat(hold.grant()).isEqualTo(GRANT);
			assertThat(hold.deadline()).isEqualTo(1500);
			assertThat(hold.releaseCall()).isEqualTo(300);
			assertThat(hold.releaseReturn()).isEqualTo(310);
			assertThat(hold.visit()).isEqualTo(VISIT);
			assertThat(hold.outcome()).isEqualTo(ReleaseOutcome.LOST);
			assertThat(hold.loss()).isEqualTo(290);
			assertThat(hold.lossReason()).isEqualTo("NOT_OWNED");
			assertThat(hold.believedEnd()).isEqualTo(290);
		});
		String thread = Thread.currentThread().getName();
		assertThat(history.attempts()).containsExactly(new Attempt(7, thread, 90, 1000, 200),
				new Attempt(7, thread, 790, 2000, Hold.NEVER));
		assertThat(history.misses()).containsExactly(new Miss(7, "key", LockType.READ, 400, 500, "TIMEOUT"));
		assertThat(history.stalls()).containsExactly(new Span(600, 700));
		assertThat(history.blocks()).containsExactly(new Span(650, 750));
		assertThat(history.clients()).containsEntry("client", 800L);
		assertThat(history.anomalies()).containsExactly("odd|thing");
	}

	@Test
	void readsALossThatPrecedesItsGrant(@TempDir Path folder) throws IOException {
		Path early = folder.resolve("early");
		try (Recorder recorder = new Recorder(early)) {
			recorder.lost("key", LockType.FAIR, 42, 150, "NOT_OWNED");
			recorder.granted(GRANT);
		}
		assertThat(HistoryReader.read(7, early).holds()).singleElement()
			.satisfies((hold) -> assertThat(hold.isBelieved()).isFalse());
	}

	@Test
	void readsAHistoryThatEndsAnywhere() throws IOException {
		byte[] bytes = Files.readAllBytes(this.file);
		for (int length = 0; length < bytes.length; length++) {
			Files.write(this.file, Arrays.copyOf(bytes, length));
			JvmHistory history = HistoryReader.read(7, this.file);
			assertThat(history.anomalies()).isEmpty();
			assertThat(history.holds()).hasSizeLessThanOrEqualTo(1);
		}
	}

	@Test
	void readsAMissingHistory(@TempDir Path folder) throws IOException {
		assertThat(HistoryReader.read(7, folder.resolve("none")).holds()).isEmpty();
	}

	@Test
	void refusesAnInvalidLine() throws IOException {
		Files.writeString(this.file, "R 99 100 RELEASED\n");
		assertThatIllegalStateException().isThrownBy(() -> HistoryReader.read(7, this.file))
			.withMessageContaining("R 99 100 RELEASED");
	}

}
