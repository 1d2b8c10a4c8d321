package io.lockstarter.docs;

import java.time.Duration;

import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;

import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.context.annotation.Bean;

/**
 * The code that docs/generated/messages.md shows.
 */
class MessageSnippets {

	@Bean
	LettuceClientOptionsBuilderCustomizer boundedSilence() {
		return (options) -> options.socketOptions(SocketOptions.builder()
			.connectTimeout(Duration.ofSeconds(5))
			.keepAlive(KeepAliveOptions.builder()
				.enable()
				.idle(Duration.ofSeconds(5))
				.interval(Duration.ofSeconds(1))
				.count(3)
				.build())
			.tcpUserTimeout(TcpUserTimeoutOptions.builder().enable().tcpUserTimeout(Duration.ofSeconds(8)).build())
			.build());
	}

}
