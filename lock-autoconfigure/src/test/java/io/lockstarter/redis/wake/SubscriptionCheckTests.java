package io.lockstarter.redis.wake;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SubscriptionCheckTests {

	private final AtomicInteger sent = new AtomicInteger();

	private final SubscriptionCheck echo = new SubscriptionCheck(() -> {
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
		CompletableFuture<SubscriptionCheck.Answer> asked = this.echo.ask();
		this.echo.begin();
		assertThat(this.sent).hasValue(2);
		this.echo.heard();
		assertThat(asked).isCompletedWithValue(SubscriptionCheck.Answer.HEARD);
	}

}
