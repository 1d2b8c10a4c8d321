package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Which settings of the application's client apply to that of the locks.
 */
class LettuceSettingsTests {

	private final ClientResources application = ClientResources.builder()
		.reconnectDelay(Delay.constant(Duration.ofSeconds(30)))
		.build();

	private final ClientResources resources = LettuceResources.of(this.application, Duration.ofSeconds(5));

	@AfterEach
	void shutDown() {
		this.resources.shutdown(0, 0, TimeUnit.MILLISECONDS).awaitUninterruptibly();
		assertThat(this.application.eventExecutorGroup().isShuttingDown()).as("threads of the application").isFalse();
		this.application.shutdown(0, 0, TimeUnit.MILLISECONDS);
	}

	@Test
	void namesItselfAndEncryptsAsTheApplication() {
		RedisCredentialsProviderFactory credentials = mock();
		LettuceClientConfiguration settings = of(LettuceClientConfiguration.builder()
			.clientName("shop")
			.commandTimeout(Duration.ofSeconds(7))
			.redisCredentialsProviderFactory(credentials)
			.useSsl()
			.verifyPeer(SslVerifyMode.CA)
			.startTls()
			.build(), false);
		assertThat(settings.getClientName()).contains("shop");
		assertThat(settings.getCommandTimeout()).isEqualTo(Duration.ofSeconds(7));
		assertThat(settings.getRedisCredentialsProviderFactory()).containsSame(credentials);
		assertThat(settings.isUseSsl()).isTrue();
		assertThat(settings.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
		assertThat(settings.isStartTls()).isTrue();
		assertThat(of(LettuceClientConfiguration.defaultConfiguration(), false).isUseSsl()).isFalse();
	}

	@Test
	void hasNeitherPoolNorReplicas() {
		LettuceClientConfiguration settings = of(LettucePoolingClientConfiguration.builder()
			.poolConfig(new GenericObjectPoolConfig<>())
			.readFrom(ReadFrom.REPLICA)
			.build(), false);
		assertThat(settings).isNotInstanceOf(LettucePoolingClientConfiguration.class);
		assertThat(settings.getReadFrom()).isEmpty();
	}

	@Test
	void reconnectsWhateverTheApplicationDoes() {
		ClientOptions options = options(ClientOptions.builder()
			.autoReconnect(false)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			.suspendReconnectOnProtocolFailure(true)
			.requestQueueSize(77)
			.build(), false);
		assertThat(options.isAutoReconnect()).isTrue();
		assertThat(options.getDisconnectedBehavior()).isEqualTo(DisconnectedBehavior.DEFAULT);
		assertThat(options.isSuspendReconnectOnProtocolFailure()).isFalse();
		assertThat(options.getRequestQueueSize()).isEqualTo(77);
		assertThat(this.resources.reconnectDelay().createDelay(50)).isLessThanOrEqualTo(Duration.ofMillis(500));
		assertThat(this.application.reconnectDelay().createDelay(50)).isEqualTo(Duration.ofSeconds(30));
	}

	@Test
	void connectsWithinTwoSecondsOrWhatTheApplicationAllows() {
		SocketOptions slow = options(ClientOptions.create(), false).getSocketOptions();
		assertThat(slow.getConnectTimeout()).isEqualTo(Duration.ofSeconds(2));
		assertThat(slow.isKeepAlive()).isTrue();
		SocketOptions fast = options(ClientOptions.builder()
			.socketOptions(SocketOptions.builder()
				.connectTimeout(Duration.ofMillis(300))
				.tcpUserTimeout(TcpUserTimeoutOptions.builder().enable().tcpUserTimeout(Duration.ofSeconds(8)).build())
				.build())
			.build(), false).getSocketOptions();
		assertThat(fast.getConnectTimeout()).isEqualTo(Duration.ofMillis(300));
		assertThat(fast.getTcpUserTimeout().getTcpUserTimeout()).isEqualTo(Duration.ofSeconds(8));
	}

	@Test
	void keepsTheApplicationsIntervalsOfKeepAlive() {
		SocketOptions options = options(ClientOptions.builder()
			.socketOptions(SocketOptions.builder()
				.keepAlive(KeepAliveOptions.builder().enable().idle(Duration.ofMinutes(3)).build())
				.build())
			.build(), false).getSocketOptions();
		assertThat(options.isKeepAlive()).isTrue();
		assertThat(options.getKeepAlive().getIdle()).isEqualTo(Duration.ofMinutes(3));
	}

	@Test
	void commandsMayWaitForReplicas() {
		LettuceClientConfiguration application = LettuceClientConfiguration.builder()
			.commandTimeout(Duration.ofMillis(400))
			.build();
		assertThat(LettuceSettings.of(application, false, this.resources, Duration.ofMillis(500)).getCommandTimeout())
			.isEqualTo(Duration.ofMillis(900));
		assertThat(LettuceSettings
			.of(LettuceClientConfiguration.builder().commandTimeout(Duration.ZERO).build(), false, this.resources,
					Duration.ofMillis(500))
			.getCommandTimeout()).isZero();
	}

	@Test
	void followsAClusterWithoutDelay() {
		ClusterClientOptions own = (ClusterClientOptions) options(ClusterClientOptions.builder()
			.validateClusterNodeMembership(false)
			.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
				.dynamicRefreshSources(false)
				.enablePeriodicRefresh(Duration.ofSeconds(20))
				.build())
			.build(), true);
		ClusterTopologyRefreshOptions refresh = own.getTopologyRefreshOptions();
		assertThat(own.isValidateClusterNodeMembership()).isFalse();
		assertThat(refresh.useDynamicRefreshSources()).isFalse();
		assertThat(refresh.isPeriodicRefreshEnabled()).isTrue();
		assertThat(refresh.getRefreshPeriod()).isEqualTo(Duration.ofSeconds(20));
		assertThat(refresh.getAdaptiveRefreshTimeout()).isEqualTo(Duration.ofMillis(500));
		assertThat(refresh.getAdaptiveRefreshTriggers()).isNotEmpty();
		assertThat(options(ClientOptions.create(), true)).isInstanceOf(ClusterClientOptions.class);
	}

	private ClientOptions options(ClientOptions application, boolean cluster) {
		return of(LettuceClientConfiguration.builder().clientOptions(application).build(), cluster).getClientOptions()
			.orElseThrow();
	}

	private LettuceClientConfiguration of(LettuceClientConfiguration application, boolean cluster) {
		return LettuceSettings.of(application, cluster, this.resources, Duration.ZERO);
	}

}
