package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RedisNodes}.
 */
class RedisNodesTests {

	@Test
	void keepDataApart() {
		try (RedisNodes nodes = RedisNodes.start(3)) {
			assertThat(nodes.addresses()).doesNotHaveDuplicates().hasSize(3);
			nodes.get(1).cli("SET", "a", "b");
			assertThat(nodes.all()).extracting((node) -> node.cli("GET", "a")).containsExactly(null, "b", null);
		}
	}

	@Test
	void refuseWhenKilledWhileTheOthersAnswer() {
		try (RedisNodes nodes = RedisNodes.start(3)) {
			nodes.get(0).kill();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> nodes.get(0).cli("PING"));
			assertThat(nodes.responsive()).containsExactly(nodes.get(1), nodes.get(2));
			assertThat(nodes.responsive()).allMatch((node) -> "PONG".equals(node.cli("PING")));
		}
	}

	@Test
	void hangWhenStoppedUntilResumed() {
		try (RedisNodes nodes = RedisNodes.start(2)) {
			RedisServer node = nodes.get(1);
			node.stop();
			try (RespClient impatient = node.connect(Duration.ofMillis(100))) {
				assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> impatient.call("PING"));
			}
			assertThat(nodes.responsive()).containsExactly(nodes.get(0));
			node.resume();
			assertThat(node.cli("PING")).isEqualTo("PONG");
			assertThat(nodes.responsive()).hasSize(2);
		}
	}

	@Test
	void areEmptyWhenRestartedEmptyAlthoughTheyPersist() {
		try (RedisNodes nodes = RedisNodes.start(2, "--appendonly", "yes", "--appendfsync", "always")) {
			RedisServer node = nodes.get(0);
			String address = node.address();
			nodes.all().forEach((each) -> each.cli("SET", "a", "b"));
			node.cli("SAVE");
			node.restart();
			assertThat(node.cli("GET", "a")).isEqualTo("b");
			node.stop();
			node.restartEmpty();
			assertThat(node.cli("GET", "a")).isNull();
			assertThat(node.address()).isEqualTo(address);
			assertThat(node.isResponsive()).isTrue();
			assertThat(nodes.get(1).cli("GET", "a")).isEqualTo("b");
		}
	}

	@Test
	void leaveNothingWhenClosed() {
		RedisNodes nodes = RedisNodes.start(2);
		nodes.get(0).stop();
		nodes.close();
		assertThat(nodes.all()).noneMatch(RedisServer::isAlive);
		assertThat(nodes.all()).noneMatch((node) -> node.directory().toFile().exists());
	}

	@Test
	void sayWhatIsWrongWithTheirOptions() {
		assertThatIllegalStateException().isThrownBy(() -> RedisNodes.start(2, "--no-such-option", "1"))
			.withMessageContaining("no-such-option");
	}

}
