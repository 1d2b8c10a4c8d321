package io.lockstarter.sample.experiments;

import java.net.ConnectException;
import java.net.SocketAddress;
import java.time.Duration;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;

import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.stereotype.Component;

/**
 * Network line from this instance to Redis, which can be cut. Other clients of Redis are
 * not affected.
 */
@Component
class Line implements ClientResourcesBuilderCustomizer, NettyCustomizer {

	private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

	private volatile boolean cut;

	@Override
	public void customize(ClientResources.Builder builder) {
		builder.nettyCustomizer(this);
	}

	@Override
	public void afterChannelInitialized(Channel connection) {
		this.connections.add(connection);
		connection.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {

			@Override
			public void connect(ChannelHandlerContext context, SocketAddress remote, SocketAddress local,
					ChannelPromise promise) throws Exception {
				if (Line.this.cut) {
					promise.setFailure(new ConnectException("The line to Redis is cut"));
				}
				else {
					super.connect(context, remote, local, promise);
				}
			}

		});
	}

	/**
	 * Closes all connections, and refuses new ones for a time.
	 * @param duration the time
	 * @return the number of closed connections
	 * @throws InterruptedException if the thread is interrupted; connections are accepted
	 * again then
	 */
	int cut(Duration duration) throws InterruptedException {
		this.cut = true;
		try {
			int closed = this.connections.size();
			this.connections.close().sync();
			Thread.sleep(duration.toMillis());
			return closed;
		}
		finally {
			this.cut = false;
		}
	}

}
