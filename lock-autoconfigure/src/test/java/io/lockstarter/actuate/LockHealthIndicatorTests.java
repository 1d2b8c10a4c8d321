package io.lockstarter.actuate;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.lockstarter.core.LockMonitor;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

class LockHealthIndicatorTests {

	@Test
	void isUpWithDetailsWhenLocksCanBeTaken() {
		Health health = ask(CompletableFuture.completedFuture(new LockMonitor.Health(true, Map.of("held", 3))));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("held", 3);
	}

	@Test
	void isDownWithDetailsWhenLocksCannotBeTaken() {
		Health health = ask(
				CompletableFuture.completedFuture(new LockMonitor.Health(false, Map.of("renewalsFailing", 1))));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("renewalsFailing", 1);
	}

	@Test
	void isDownWhenTheMonitorDoesNotAnswerInTime() {
		Health health = ask(new CompletableFuture<>());
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("error")).asString().contains(TimeoutException.class.getName());
	}

	@Test
	void isDownWhenTheMonitorFails() {
		Health health = ask(CompletableFuture.failedFuture(new IllegalStateException("broken")));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("error")).asString().contains("broken");
	}

	@Test
	void isDownAndKeepsTheInterruptWhenInterrupted() {
		Thread.currentThread().interrupt();
		Health health = ask(new CompletableFuture<>());
		assertThat(Thread.interrupted()).isTrue();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
	}

	private static Health ask(CompletableFuture<LockMonitor.Health> answer) {
		return new LockHealthIndicator(new FakeLockMonitor().health(answer), Duration.ofMillis(20)).health();
	}

}
