package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a connection without replies is closed.
 */
class ReplyTimeoutTests {

	private static final Duration LIMIT = Duration.ofSeconds(5);

	private final AtomicLong clock = new AtomicLong();

	private final AtomicInteger customized = new AtomicInteger();

	private final EmbeddedChannel connection = new EmbeddedChannel();

	ReplyTimeoutTests() {
		this.connection.freezeTime();
		new ReplyTimeout(LIMIT, new NettyCustomizer() {

			@Override
			public void afterChannelInitialized(Channel channel) {
				ReplyTimeoutTests.this.customized.incrementAndGet();
			}

		}, this.clock::get).afterChannelInitialized(this.connection);
	}

	@AfterEach
	void close() {
		this.connection.finishAndReleaseAll();
	}

	@Test
	void leavesCustomizationToTheApplication() {
		assertThat(this.customized).hasValue(1);
	}

	@Test
	void closesConnectionThatDeliversNothing() {
		send();
		pass(Duration.ofMillis(5000));
		assertThat(this.connection.isOpen()).isTrue();
		pass(Duration.ofMillis(1000));
		assertThat(this.connection.isOpen()).isFalse();
	}

	@Test
	void closesConnectionThatFallsSilent() {
		for (int i = 0; i < 20; i++) {
			send();
			receive();
			pass(Duration.ofMillis(500));
		}
		send();
		pass(Duration.ofMillis(6000));
		assertThat(this.connection.isOpen()).isFalse();
	}

	@Test
	void keepsConnectionOnWhichNothingIsAwaited() {
		send();
		receive();
		pass(Duration.ofMinutes(1));
		assertThat(this.connection.isOpen()).isTrue();
	}

	/** Its other commands wait behind a backlog. */
	@Test
	void keepsConnectionThatDeliversSomething() {
		for (int i = 0; i < 20; i++) {
			send();
			send();
			pass(Duration.ofMillis(4500));
			receive();
		}
		assertThat(this.connection.isOpen()).isTrue();
	}

	/** Replies may have arrived meanwhile. */
	@Test
	void keepsConnectionAfterAPauseOfThisJvm() {
		send();
		for (int i = 0; i < 20; i++) {
			this.clock.addAndGet(LIMIT.toNanos());
			pass(Duration.ofMillis(500));
		}
		receive();
		pass(Duration.ofMinutes(1));
		assertThat(this.connection.isOpen()).isTrue();
	}

	@Test
	void keepsConnectionWhosePauseEndsJustBeforeItIsClosed() {
		send();
		pass(Duration.ofMillis(5000));
		this.clock.addAndGet(LIMIT.toNanos());
		pass(Duration.ofMillis(500));
		receive();
		pass(Duration.ofMinutes(1));
		assertThat(this.connection.isOpen()).isTrue();
	}

	private void send() {
		this.connection.writeOutbound(Unpooled.wrappedBuffer(new byte[] { 1 }));
	}

	private void receive() {
		this.connection.writeInbound(Unpooled.wrappedBuffer(new byte[] { 2 }));
	}

	/** Let time pass, in steps that are short enough for every check to be on time. */
	private void pass(Duration time) {
		for (long millis = 0; millis < time.toMillis(); millis += 100) {
			this.clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
			this.connection.advanceTimeBy(100, TimeUnit.MILLISECONDS);
			this.connection.runScheduledPendingTasks();
		}
	}

}
