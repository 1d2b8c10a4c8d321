package io.lockstarter.application;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Events that this JVM recorded while something ran, however short they were.
 */
final class Recorded {

	private Recorded() {
	}

	/**
	 * Run something, and return the events of the given types meanwhile.
	 */
	static List<RecordedEvent> during(Work work, String... types) throws Exception {
		Path file = Files.createTempFile("recorded", ".jfr");
		try (Recording recording = new Recording()) {
			for (String type : types) {
				recording.enable(type).withThreshold(Duration.ZERO).withStackTrace();
			}
			recording.start();
			work.run();
			recording.stop();
			recording.dump(file);
			return read(file, Set.of(types));
		}
		finally {
			Files.delete(file);
		}
	}

	/** A recording also has what libraries record by default. */
	private static List<RecordedEvent> read(Path file, Set<String> types) {
		try {
			return RecordingFile.readAllEvents(file)
				.stream()
				.filter((event) -> types.contains(event.getEventType().getName()))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static String threadName(RecordedEvent event) {
		return Optional.ofNullable(event.getThread()).map(RecordedThread::getJavaName).orElse("");
	}

	/** The methods on the stack, the innermost first. */
	static List<String> stack(RecordedEvent event) {
		return Stream.ofNullable(event.getStackTrace())
			.map(RecordedStackTrace::getFrames)
			.flatMap(List::stream)
			.filter(RecordedFrame::isJavaFrame)
			.map((frame) -> frame.getMethod().getType().getName() + "." + frame.getMethod().getName())
			.toList();
	}

	/**
	 * What is done meanwhile.
	 */
	@FunctionalInterface
	interface Work {

		void run() throws Exception;

	}

}
