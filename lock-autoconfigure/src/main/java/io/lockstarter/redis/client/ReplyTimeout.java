package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.lettuce.core.resource.NettyCustomizer;
import io.lockstarter.core.Durations;
import io.lockstarter.logging.LockLog;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/**
 * Limit to the time for which a connection of Lettuce delivers nothing although commands
 * were sent. Then the connection is closed, and Lettuce opens another one, queries
 * Sentinels and DNS for the server again, and repeats the commands.
 * <p>
 * A device on the network may have discarded the connection without a notice, which TCP
 * itself detects only after a quarter of an hour. Or the server hangs, and another one
 * may have replaced it.
 */
final class ReplyTimeout implements NettyCustomizer {

	private static final LockLog logger = LockLog.of(ReplyTimeout.class);

	/** Interval of checks while a reply is awaited: 500 ms. */
	private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final Duration limit;

	private final LongSupplier nanoTime;

	private final NettyCustomizer next;

	/**
	 * Creates a limit.
	 * @param next customizes the channels as well
	 */
	ReplyTimeout(Duration limit, NettyCustomizer next) {
		this(limit, next, System::nanoTime);
	}

	ReplyTimeout(Duration limit, NettyCustomizer next, LongSupplier nanoTime) {
		this.limit = limit;
		this.next = next;
		this.nanoTime = nanoTime;
	}

	@Override
	public void afterBootstrapInitialized(Bootstrap bootstrap) {
		this.next.afterBootstrapInitialized(bootstrap);
	}

	@Override
	public void afterChannelInitialized(Channel channel) {
		this.next.afterChannelInitialized(channel);
		// Handlers of TLS come later, so their handshake is limited as well.
		channel.pipeline().addFirst(new Handler());
	}

	/**
	 * Handler of one connection. Any data from the server is progress, so a long backlog
	 * of commands does no harm. Checks that come late do not count: after a pause of this
	 * JVM, replies may wait to be read.
	 */
	private final class Handler extends ChannelDuplexHandler {

		private boolean replied;

		private boolean awaiting;

		private boolean checking;

		private long dueAt;

		private long silentNanos;

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			this.awaiting = true;
			if (!this.checking) {
				this.checking = true;
				checkLater(context);
			}
			context.write(message, promise);
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			this.replied = true;
			this.awaiting = false;
			this.silentNanos = 0;
			context.fireChannelRead(message);
		}

		private void checkLater(ChannelHandlerContext context) {
			this.dueAt = ReplyTimeout.this.nanoTime.getAsLong() + INTERVAL_NANOS;
			context.executor().schedule(() -> check(context), INTERVAL_NANOS, TimeUnit.NANOSECONDS);
		}

		private void check(ChannelHandlerContext context) {
			if (!this.awaiting || !context.channel().isActive()) {
				this.checking = false;
				this.silentNanos = 0;
			}
			else if (ReplyTimeout.this.nanoTime.getAsLong() - this.dueAt >= INTERVAL_NANOS) {
				checkLater(context);
			}
			else if (this.silentNanos >= ReplyTimeout.this.limit.toNanos()) {
				close(context);
			}
			else {
				this.silentNanos += INTERVAL_NANOS;
				checkLater(context);
			}
		}

		private void close(ChannelHandlerContext context) {
			if (this.replied) {
				logger.warn("%s has not replied for %s; the connection is replaced"
					.formatted(context.channel().remoteAddress(), Durations.exact(ReplyTimeout.this.limit)));
			}
			context.close();
		}

	}

}
