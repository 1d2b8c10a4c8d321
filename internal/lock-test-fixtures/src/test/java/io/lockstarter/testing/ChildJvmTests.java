package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ChildJvm}.
 */
class ChildJvmTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final int ENOUGH_FOR_CHANCE_TO_SHOW = 15;

	@Test
	void exchangesLines() {
		try (ChildJvm child = ChildJvm.start(Echo.class, "first")) {
			child.send("second");
			assertThat(child.awaitLine("echo second"::equals, PATIENCE)).isEqualTo("echo second");
			assertThat(child.awaitLine("started first"::equals, PATIENCE)).isEqualTo("started first");
		}
	}

	@Test
	void goesOnAfterALineThatFails() {
		try (ChildJvm child = ChildJvm.start(Echo.class, "x")) {
			child.send("fail");
			child.send("next");
			child.awaitLine("echo next"::equals, PATIENCE);
			child.awaitLine((line) -> line.contains("Line 'fail' failed"), PATIENCE);
		}
	}

	@Test
	void showsOutputWhenTheChildEndsWithoutTheLineWanted() {
		try (ChildJvm child = ChildJvm.start(Echo.class)) {
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> child.awaitLine("started"::equals, Duration.ofMinutes(5)))
				.withMessageContaining("Child JVM ended")
				.withMessageContaining("ArrayIndexOutOfBoundsException");
		}
	}

	@Test
	void isSilentWhileStoppedAndGoesOnWhenResumed() {
		try (ChildJvm child = ChildJvm.start(BusyEcho.class, "x")) {
			child.awaitLine("started x"::equals, PATIENCE);
			for (int i = 0; i < ENOUGH_FOR_CHANCE_TO_SHOW; i++) {
				String late = "echo late " + i;
				child.stop();
				child.send("late " + i);
				assertThatExceptionOfType(AssertionError.class)
					.isThrownBy(() -> child.awaitLine(late::equals, Duration.ofMillis(20)));
				child.resume();
				child.awaitLine(late::equals, PATIENCE);
			}
		}
	}

	@Test
	void isDeadAfterKillEvenWhenStopped() {
		try (ChildJvm child = ChildJvm.start(Echo.class, "x")) {
			child.stop();
			child.kill();
			assertThat(child.isAlive()).isFalse();
		}
	}

	// The grandchild's Redis dies only with the grandchild
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void diesWhenItsParentIsKilled(boolean stopped) {
		try (ChildJvm child = ChildJvm.start(Parent.class, String.valueOf(stopped))) {
			int port = Integer.parseInt(child.awaitLine((line) -> line.matches("\\d+"), PATIENCE));
			RespClient.connect("127.0.0.1", port).close();
			child.kill();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThatExceptionOfType(UncheckedIOException.class)
					.isThrownBy(() -> RespClient.connect("127.0.0.1", port).close()));
		}
	}

	static final class Echo {

		public static void main(String[] args) {
			System.out.println("started " + args[0]);
			ChildJvm.exitWithParent((line) -> {
				if (line.equals("fail")) {
					throw new IllegalStateException("as told");
				}
				System.out.println("echo " + line);
			});
			new CompletableFuture<Void>().join();
		}

	}

	/** Takes its time to stop: its threads have to share the processors. */
	static final class BusyEcho {

		public static void main(String[] args) {
			for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
				Thread busy = new Thread(BusyEcho::spin);
				busy.setDaemon(true);
				busy.start();
			}
			Echo.main(args);
		}

		private static void spin() {
			while (true) {
				Thread.onSpinWait();
			}
		}

	}

	static final class Parent {

		public static void main(String[] args) {
			ChildJvm.exitWithParent();
			ChildJvm grandchild = ChildJvm.start(RedisServerTests.Main.class, "false");
			String port = grandchild.awaitLine((line) -> line.matches("\\d+"), PATIENCE);
			if (Boolean.parseBoolean(args[0])) {
				grandchild.stop();
			}
			System.out.println(port);
			new CompletableFuture<Void>().join();
		}

	}

}
