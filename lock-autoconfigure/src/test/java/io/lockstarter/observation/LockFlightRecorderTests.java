package io.lockstarter.observation;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.testing.Checkout;
import io.lockstarter.testing.ChildJvm;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.lockstarter.observation.ObservedLocks.REQUEST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of {@link LockFlightRecorder} with a real recording.
 */
class LockFlightRecorderTests {

	private final ObservedLocks locks = new ObservedLocks(new LockFlightRecorder());

	@TempDir
	private Path folder;

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void recordsWaitsAndHolds() throws Exception {
		List<RecordedEvent> events;
		try (Recording recording = start(Duration.ZERO)) {
			LockHandle lock = this.locks.registry().acquire(REQUEST);
			long token = lock.fencingToken();
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> this.locks.registry().acquireAsync(REQUEST).join())
				.withCauseInstanceOf(LockAcquisitionTimeoutException.class);
			lock.close();
			events = stop(recording);
			RecordedEvent hold = only(events, LockFlightRecorder.HOLD);
			assertThat(hold.getString("lock")).isEqualTo("ship:42");
			assertThat(hold.getString("type")).isEqualTo("reentrant");
			assertThat(hold.getString("owner")).isEqualTo(Thread.currentThread().getName());
			assertThat(hold.getLong("fencingToken")).isEqualTo(token);
			assertThat(hold.getString("loss")).isNull();
		}
		assertThat(events).filteredOn((event) -> event.getEventType().getName().equals(LockFlightRecorder.WAIT))
			.extracting((event) -> event.getString("outcome"))
			.containsExactlyInAnyOrder("acquired", "busy");
	}

	@Test
	void recordsWhyAHoldWasLost() throws Exception {
		try (Recording recording = start(Duration.ZERO)) {
			LockHandle lock = this.locks.registry().acquire(REQUEST.leaseTime(Duration.ofMillis(200)));
			await().until(() -> !lock.isValid());
			await().untilAsserted(() -> assertThat(this.locks.registry().heldCount()).isZero());
			await().untilAsserted(() -> assertThat(only(dump(recording), LockFlightRecorder.HOLD).getString("loss"))
				.isEqualTo("lease_expired"));
		}
	}

	@Test
	void leavesOutWhatIsShorterThanTheThreshold() throws Exception {
		try (Recording recording = start(Duration.ofMinutes(1))) {
			this.locks.registry().acquire(REQUEST).close();
			assertThat(stop(recording)).isEmpty();
		}
	}

	@Test
	void takesThresholdFromTheCommandInTheDocumentation() throws Exception {
		Matcher command = Pattern.compile("`jcmd <pid> JFR\\.start ([^`]+)`")
			.matcher(Files.readString(Checkout.file("docs", "reference", "observability.md")));
		assertThat(command.find()).isTrue();
		jcmd("jfrStart", ("name=documented " + command.group(1)).split(" "));
		try {
			assertThat(FlightRecorder.getFlightRecorder().getRecordings())
				.filteredOn((recording) -> recording.getName().equals("documented"))
				.singleElement()
				.satisfies((recording) -> assertThat(recording.getSettings()).hasEntrySatisfying(
						LockFlightRecorder.WAIT + "#threshold",
						(threshold) -> assertThat(threshold.replace(" ", "")).isEqualTo("1ms")));
		}
		finally {
			jcmd("jfrStop", "name=documented");
		}
	}

	private static void jcmd(String command, String... arguments) throws JMException {
		ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), command, new Object[] { arguments },
					new String[] { String[].class.getName() });
	}

	@Test
	void doesNothingWhileNothingIsRecorded() {
		assertThat(new LockFlightRecorder().requested(REQUEST)).isNull();
	}

	@Test
	void preparesNothingBeforeTheFirstRecording() {
		try (ChildJvm jvm = ChildJvm.start(List.of(), FirstRecording.class)) {
			assertThat(jvm.awaitLine((line) -> line.startsWith("known "), Duration.ofMinutes(1)))
				.isEqualTo("known before the recording: false, in it: true, and recorded: true");
		}
	}

	/**
	 * Tells whether the events are known to the JDK after a request, in a JVM of its own.
	 */
	static final class FirstRecording {

		private FirstRecording() {
		}

		public static void main(String[] args) {
			LockFlightRecorder recorder = new LockFlightRecorder();
			recorder.requested(REQUEST);
			boolean before = isKnown();
			try (Recording recording = LockFlightRecorderTests.start(Duration.ZERO)) {
				boolean recorded = recorder.requested(REQUEST) != null;
				System.out.printf("known before the recording: %s, in it: %s, and recorded: %s%n", before, isKnown(),
						recorded);
			}
		}

		private static boolean isKnown() {
			return FlightRecorder.getFlightRecorder()
				.getEventTypes()
				.stream()
				.anyMatch((type) -> type.getName().equals(LockFlightRecorder.WAIT));
		}

	}

	private static Recording start(Duration threshold) {
		Recording recording = new Recording();
		recording.enable(LockFlightRecorder.WAIT).withThreshold(threshold);
		recording.enable(LockFlightRecorder.HOLD).withThreshold(threshold);
		recording.start();
		return recording;
	}

	private List<RecordedEvent> stop(Recording recording) throws Exception {
		recording.stop();
		return dump(recording);
	}

	private List<RecordedEvent> dump(Recording recording) throws Exception {
		Path file = this.folder.resolve(System.nanoTime() + ".jfr");
		recording.dump(file);
		return RecordingFile.readAllEvents(file)
			.stream()
			.filter((event) -> event.getEventType().getName().startsWith("io.lockstarter."))
			.toList();
	}

	private static RecordedEvent only(List<RecordedEvent> events, String type) {
		List<RecordedEvent> found = events.stream()
			.filter((event) -> event.getEventType().getName().equals(type))
			.toList();
		assertThat(found).hasSize(1);
		return found.get(0);
	}

}
