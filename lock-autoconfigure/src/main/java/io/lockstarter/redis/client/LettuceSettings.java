package io.lockstarter.redis.client;

import java.time.Duration;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;

/**
 * Settings of the locks' own client. Credentials, TLS, client name and command timeout
 * are those of the application. There is neither a pool nor a choice of replicas to read
 * from, and a broken connection is always restored.
 */
final class LettuceSettings {

	/** Maximum time to open a connection: 2 s. */
	private static final Duration MAX_CONNECT_TIME = Duration.ofSeconds(2);

	/** Minimum time between two refreshes of the view of a cluster: 500 ms. */
	private static final Duration REFRESH_PAUSE = Duration.ofMillis(500);

	private LettuceSettings() {
	}

	/**
	 * Returns the settings of the locks' client.
	 * @param application the settings of the application's client
	 * @param resources the threads and the event bus of the locks' client
	 * @param replicaTimeout the maximum time for which WAIT blocks a connection
	 */
	static LettuceClientConfiguration of(LettuceClientConfiguration application, boolean cluster,
			ClientResources resources, Duration replicaTimeout) {
		ClientOptions known = application.getClientOptions().orElseGet(ClientOptions::create);
		LettuceClientConfigurationBuilder settings = LettuceClientConfiguration.builder()
			.clientOptions(options(cluster ? clusterOptions(known) : known))
			.clientResources(resources)
			.commandTimeout(commandTimeout(application.getCommandTimeout(), replicaTimeout))
			.shutdownTimeout(Duration.ZERO);
		application.getClientName().ifPresent(settings::clientName);
		application.getRedisCredentialsProviderFactory().ifPresent(settings::redisCredentialsProviderFactory);
		if (application.isUseSsl()) {
			LettuceSslClientConfigurationBuilder tls = settings.useSsl().verifyPeer(application.getVerifyMode());
			if (application.isStartTls()) {
				tls.startTls();
			}
		}
		return settings.build();
	}

	/** A time of zero means that there is no limit. */
	private static Duration commandTimeout(Duration application, Duration replicaTimeout) {
		return application.isZero() ? application : application.plus(replicaTimeout);
	}

	/**
	 * Returns options with which Lettuce reconnects and meanwhile keeps commands, which
	 * bridges a restart of Redis without repeated attempts to send them.
	 */
	private static ClientOptions options(ClientOptions known) {
		return known.mutate()
			.autoReconnect(true)
			.disconnectedBehavior(DisconnectedBehavior.DEFAULT)
			.suspendReconnectOnProtocolFailure(false)
			.socketOptions(socketOptions(known.getSocketOptions()))
			.build();
	}

	private static SocketOptions socketOptions(SocketOptions known) {
		SocketOptions.Builder options = known.mutate();
		if (known.getConnectTimeout().compareTo(MAX_CONNECT_TIME) > 0) {
			options.connectTimeout(MAX_CONNECT_TIME);
		}
		if (!known.isKeepAlive()) {
			options.keepAlive(true);
		}
		else if (isExtended(known.getKeepAlive())) {
			// Lettuce 6 does not copy these options.
			options.keepAlive(known.getKeepAlive());
		}
		if (known.isEnableTcpUserTimeout()) {
			// Lettuce does not copy this option.
			options.tcpUserTimeout(known.getTcpUserTimeout());
		}
		return options.build();
	}

	/**
	 * Returns whether an interval is not the usual one, which needs no support by Netty.
	 */
	private static boolean isExtended(KeepAliveOptions keepAlive) {
		KeepAliveOptions usual = KeepAliveOptions.builder().build();
		return !keepAlive.getIdle().equals(usual.getIdle()) || !keepAlive.getInterval().equals(usual.getInterval())
				|| keepAlive.getCount() != usual.getCount();
	}

	// All triggers are enabled by default since Lettuce 7, but not in Lettuce 6.
	@SuppressWarnings("deprecation")
	private static ClusterClientOptions clusterOptions(ClientOptions known) {
		ClusterClientOptions options = (known instanceof ClusterClientOptions ofCluster) ? ofCluster
				: ClusterClientOptions.builder(known).build();
		ClusterTopologyRefreshOptions refresh = options.getTopologyRefreshOptions();
		return options.mutate()
			.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
				.enablePeriodicRefresh(refresh.isPeriodicRefreshEnabled())
				.refreshPeriod(refresh.getRefreshPeriod())
				.closeStaleConnections(refresh.isCloseStaleConnections())
				.dynamicRefreshSources(refresh.useDynamicRefreshSources())
				.enableAllAdaptiveRefreshTriggers()
				.adaptiveRefreshTriggersTimeout(REFRESH_PAUSE)
				.build())
			.build();
	}

}
