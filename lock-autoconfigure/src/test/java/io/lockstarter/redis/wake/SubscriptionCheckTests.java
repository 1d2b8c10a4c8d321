package io.lockstarter.redis.wake;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SubscriptionCheckTests {

	private final AtomicInteger sent = new AtomicInteger();

	private final Deque<CompletableFuture<SubscriptionCheck.Sent>> replies = new ArrayDeque<>();

	private final AtomicInteger unreached = new AtomicInteger();

	private final SubscriptionCheck echo = new SubscriptionCheck(() -> {
		this.sent.incrementAndGet();
		CompletableFuture<SubscriptionCheck.Sent> reply = new CompletableFuture<>();
		this.replies.add(reply);
		return reply;
	}, () -> {
	}, () -> {
	}, this.unreached::incrementAndGet);

	@Test
	void sendsOneMessageForAllWhoAskMeanwhile() {
		this.echo.check();
		this.echo.check();
		assertThat(this.sent).hasValue(1);
	}

	@Test
	void sendsAnotherMessageOnceThereIsASubscription() {
		CompletableFuture<SubscriptionCheck.Result> asked = this.echo.check();
		this.echo.begin();
		assertThat(this.sent).hasValue(2);
		this.echo.received();
		assertThat(asked).isCompletedWithValue(SubscriptionCheck.Result.RECEIVED);
	}

	/** A subscription would be left that has just been made. */
	@Test
	void doesNotBelieveWhatWasAskedBeforeThereWasASubscription() {
		this.echo.check();
		this.echo.begin();
		this.replies.remove().complete(SubscriptionCheck.Sent.UNREACHED);
		assertThat(this.unreached).hasValue(0);
		this.replies.remove().complete(SubscriptionCheck.Sent.UNREACHED);
		assertThat(this.unreached).hasValue(1);
	}

	@Test
	void asksAgainAfterAnErrorWasThrown() {
		AtomicBoolean failing = new AtomicBoolean(true);
		SubscriptionCheck check = new SubscriptionCheck(() -> {
			if (failing.get()) {
				throw new NoClassDefFoundError("planted");
			}
			this.sent.incrementAndGet();
			return new CompletableFuture<>();
		}, () -> {
		}, () -> {
		}, () -> {
		});
		assertThat(check.check()).isCompletedExceptionally();
		failing.set(false);
		check.check();
		assertThat(this.sent).hasValue(1);
	}

	@Test
	void asksAgainAfterWhoWasToldThrew() {
		SubscriptionCheck check = new SubscriptionCheck(() -> {
			this.sent.incrementAndGet();
			return CompletableFuture.completedFuture(SubscriptionCheck.Sent.UNREACHED);
		}, () -> {
		}, () -> {
		}, () -> {
			throw new NoClassDefFoundError("planted");
		});
		CompletableFuture<SubscriptionCheck.Result> asked = check.check();
		await().until(asked::isDone);
		check.check();
		assertThat(this.sent).hasValue(2);
	}

}
