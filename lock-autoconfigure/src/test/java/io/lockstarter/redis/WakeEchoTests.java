package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WakeEchoTests {

	private final AtomicInteger sent = new AtomicInteger();

	private final WakeEcho echo = new WakeEcho(() -> {
		this.sent.incrementAndGet();
		return new CompletableFuture<>();
	}, () -> {
	}, () -> {
	}, () -> {
	});

	@Test
	void sendsOneMessageForAllWhoAskMeanwhile() {
		this.echo.ask();
		this.echo.ask();
		assertThat(this.sent).hasValue(1);
	}

	@Test
	void sendsAnotherMessageOnceThereIsASubscription() {
		CompletableFuture<WakeEcho.Answer> asked = this.echo.ask();
		this.echo.begin();
		assertThat(this.sent).hasValue(2);
		this.echo.heard();
		assertThat(asked).isCompletedWithValue(WakeEcho.Answer.HEARD);
	}

}
