package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import io.lockstarter.aop.LockAdvisor;
import io.lockstarter.core.Credentials;
import io.lockstarter.core.Durations;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.observation.SlowLockWarnings;
import io.lockstarter.redis.quorum.QuorumSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of distributed locks.
 *
 * @param enabled Whether locks are set up. Without them, annotated methods run unlocked.
 * @param backend Where locks are kept.
 * @param instance Name under which other instances see the locks of this one. By default
 * the application's name with a random suffix.
 * @param keyPrefix First part of all Redis keys: letters, digits and _ : . / - but no -
 * at the beginning.
 * @param waitTime Longest wait for a lock where nothing else is said. Zero tries once.
 * @param leaseTime Time after which the lock of an instance that died is free again.
 * While the lock is held it is renewed at a third of this time.
 * @param maxHoldTime Time after which a lock is not renewed any more, even though it is
 * still held. By default it is renewed without end.
 * @param onLost What happens to a thread that loses its lock while it holds it.
 * @param release What a thread waits for when it releases a lock.
 * @param handover Handing a lock over within this instance.
 * @param callbackThreads How many threads run callbacks of asynchronous requests for
 * locks, and begin annotated methods that return futures or publishers. More callbacks
 * have to wait; renewals and releases do not. From Java 24 on, callbacks have virtual
 * threads without a limit.
 * @param lateCommandRetention How long Redis remembers the end of a lock for which a
 * command was repeated or given up, to recognise that command when it arrives late. In a quorum, also how long it keeps the lock's last token.
 * @param fence Fencing tokens in the database, which methods with fenced = true use.
 * @param replication Replicas of Redis.
 * @param quorum Several independent Redis servers instead of one.
 * @param releaseAfterTransaction Whether the lock of an annotated method is kept until
 * the end of the transaction in which the method was called.
 * @param shutdown Shutdown of the application.
 * @param aspect Annotated methods.
 * @param adapter Locks for other libraries.
 * @param endpoint Actuator's endpoint of locks.
 * @param dashboard Page that shows the locks, where lock-dashboard is on the class path.
 * @param warn Warnings in the log.
 * @param registries Further registries of locks by their names, each in a Redis of its
 * own. Each has the properties connection-factory, key-prefix, wait-time, lease-time,
 * max-hold-time, replication.min-replicas, replication.timeout, and instead of a
 * connection-factory quorum.nodes, quorum.longest-lease and quorum.ssl.bundle.
 */
@ConfigurationProperties("distributed-lock")
public record DistributedLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Backend backend,
		@Nullable String instance, @DefaultValue("lock:") String keyPrefix, @DefaultValue("10s") Duration waitTime,
		@DefaultValue("30s") Duration leaseTime, @Nullable Duration maxHoldTime, @DefaultValue("event") OnLost onLost,
		@DefaultValue("await") Release release, @DefaultValue Handover handover,
		@DefaultValue("64") int callbackThreads, @DefaultValue("10m") Duration lateCommandRetention,
		@DefaultValue Fence fence, @DefaultValue Replication replication, @DefaultValue Quorum quorum,
		@DefaultValue("true") boolean releaseAfterTransaction, @DefaultValue Shutdown shutdown,
		@DefaultValue Aspect aspect, @DefaultValue Adapter adapter, @DefaultValue Endpoint endpoint,
		@DefaultValue Dashboard dashboard, @DefaultValue Warn warn, @DefaultValue Map<String, Registry> registries) {

	/** Maximum duration of a command. */
	private static final Duration LONGEST_COMMAND = Duration.ofNanos(Commands.LONGEST_NANOS);

	private static final Pattern KEY_PREFIX = Pattern.compile("(?!-)[\\w:./-]*");

	public DistributedLockProperties {
		requireWithin("wait-time", waitTime, Duration.ZERO);
		requireWithin("lease-time", leaseTime, Durations.SHORTEST_LEASE);
		if (maxHoldTime != null) {
			requireWithin("max-hold-time", maxHoldTime, leaseTime);
		}
		requireWithin("late-command-retention", lateCommandRetention, Duration.ofSeconds(1));
		if (callbackThreads < 1) {
			throw new LockPropertyException(
					"distributed-lock.callback-threads must be at least 1 but is " + callbackThreads,
					"callback-threads");
		}
		quorum.requireUsable();
		if (quorum.longestLease() != null) {
			requireWithin("quorum.longest-lease", quorum.longestLease(), leaseTime);
		}
		if (replication.minReplicas() < 0) {
			throw new LockPropertyException("distributed-lock.replication.min-replicas must not be negative but is "
					+ replication.minReplicas(), "replication.min-replicas");
		}
		requireWithin("replication.timeout", replication.timeout(), Duration.ofMillis(1));
		if (replication.minReplicas() > 0) {
			requireUsable(replication, quorum, leaseTime);
		}
		if (!KEY_PREFIX.matcher(keyPrefix).matches()) {
			throw new LockPropertyException(
					"distributed-lock.key-prefix must consist of letters, digits and _ : . / - and not begin with - but is '%s'"
						.formatted(Credentials.masked(keyPrefix)),
					"key-prefix");
		}
	}

	/**
	 * The settings of another registry: its own, and where it has none, these.
	 * @throws LockPropertyException if they cannot be used
	 */
	DistributedLockProperties of(String name, Registry own) {
		try {
			return new DistributedLockProperties(this.enabled, this.backend, this.instance,
					(own.keyPrefix() != null) ? own.keyPrefix() : this.keyPrefix,
					(own.waitTime() != null) ? own.waitTime() : this.waitTime,
					(own.leaseTime() != null) ? own.leaseTime() : this.leaseTime,
					(own.maxHoldTime() != null) ? own.maxHoldTime() : this.maxHoldTime, this.onLost, this.release,
					this.handover, this.callbackThreads, this.lateCommandRetention, this.fence, own.replication(),
					own.quorum(), this.releaseAfterTransaction, this.shutdown, this.aspect, this.adapter, this.endpoint,
					this.dashboard, this.warn, Map.of());
		}
		catch (LockPropertyException ex) {
			throw ex.ofRegistry(name);
		}
	}

	private static void requireUsable(Replication replication, Quorum quorum, Duration leaseTime) {
		if (quorum.nodes() != null) {
			throw new LockPropertyException(String.format(Locale.ROOT,
					"distributed-lock.replication.min-replicas must be 0 but is %d: the servers of distributed-lock.quorum.nodes are independent, and have no replicas to wait for",
					replication.minReplicas()), "replication.min-replicas", "quorum.nodes");
		}
		Duration sixth = leaseTime.dividedBy(6);
		Duration longest = (sixth.compareTo(LONGEST_COMMAND) < 0) ? sixth : LONGEST_COMMAND;
		if (replication.timeout().compareTo(longest) >= 0) {
			throw new LockPropertyException(
					"distributed-lock.replication.timeout must be less than %s but is %s: no command waits for longer than 2s, or a sixth of distributed-lock.lease-time if that is shorter"
						.formatted(Durations.exact(longest), Durations.exact(replication.timeout())),
					"replication.timeout", "lease-time");
		}
	}

	private static void requireWithin(String property, Duration value, Duration least) {
		String objection = Durations.objection(value, least);
		if (objection != null) {
			throw new LockPropertyException("distributed-lock.%s %s".formatted(property, objection), property);
		}
	}

	/**
	 * Handing a lock over within this instance.
	 *
	 * @param limit How often a released lock is handed to another thread of this instance
	 * while other instances wait for it. While none waits, Redis only has to confirm
	 * the lock every 500 ms. Zero releases the lock in Redis every time.
	 */
	public record Handover(@DefaultValue("64") int limit) {

		public Handover {
			if (limit < 0) {
				throw new LockPropertyException("distributed-lock.handover.limit must not be negative but is " + limit,
						"handover.limit");
			}
		}

	}

	/**
	 * Fencing tokens in the database.
	 *
	 * @param table Name of the table. Applications that share a database, but not their
	 * locks, need tables of different names.
	 * @param initializeSchema When to create the table unless there is one.
	 * @param retention How long the row of a lock is kept that nobody takes. Longer than
	 * any transaction.
	 * @param transactionManager Name of the transaction manager bean whose transactions
	 * are verified, where there are several.
	 */
	public record Fence(@DefaultValue("lock_fence") String table,
			@DefaultValue("embedded") InitializeSchema initializeSchema, @DefaultValue("1d") Duration retention,
			@Nullable String transactionManager) {

		private static final Pattern TABLE = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*){0,2}");

		public Fence {
			requireWithin("fence.retention", retention, Duration.ofMinutes(1));
			if (!TABLE.matcher(table).matches()) {
				throw new LockPropertyException(
						"distributed-lock.fence.table must be an identifier of letters, digits and _, such as lock_fence or app.lock_fence, but is '%s'"
							.formatted(table),
						"fence.table");
			}
		}

	}

	/**
	 * When to create the table of fencing tokens.
	 */
	public enum InitializeSchema {

		/** In an embedded database. */
		EMBEDDED,
		/** In any database. */
		ALWAYS,
		/** Never. */
		NEVER

	}

	/**
	 * Several independent Redis servers instead of one.
	 *
	 * @param nodes URIs of an odd number of independent Redis servers, at least 3, of
	 * which a majority has to grant a lock: redis://user:password@host:port, or rediss://
	 * with TLS. Used instead of spring.data.redis, and the same on all instances.
	 * @param longestLease Longest lease that any instance asks for, the same on all of
	 * them; by default the lease time. A server without memory of locks, because it is
	 * new or has been restarted or flushed, takes part only after this time. So the first
	 * lock of a new installation waits that long.
	 * @param ssl TLS to the servers.
	 */
	public record Quorum(@Nullable List<String> nodes, @Nullable Duration longestLease, @DefaultValue Ssl ssl) {

		private void requireUsable() {
			if (this.nodes == null) {
				return;
			}
			try {
				QuorumSettings.requireUsable(this.nodes);
			}
			catch (IllegalArgumentException ex) {
				throw new LockPropertyException(String.valueOf(ex.getMessage()), "quorum.nodes");
			}
			if (this.ssl.bundle() != null && this.nodes.stream().noneMatch(Quorum::usesTls)) {
				throw new LockPropertyException(
						"distributed-lock.quorum.ssl.bundle is '%s', but none of distributed-lock.quorum.nodes is a rediss:// URI"
							.formatted(Credentials.masked(this.ssl.bundle())),
						"quorum.ssl.bundle", "quorum.nodes");
			}
		}

		private static boolean usesTls(String node) {
			return node.strip().startsWith("rediss:");
		}

		@Override
		public String toString() {
			return "Quorum[nodes=%s, longestLease=%s, ssl=%s]".formatted(
					(this.nodes != null) ? this.nodes.stream().map(Credentials::masked).toList() : null,
					this.longestLease, this.ssl);
		}

		QuorumSettings settings(DistributedLockProperties properties) {
			return new QuorumSettings((this.nodes != null) ? this.nodes : List.of(), properties.keyPrefix(),
					properties.lateCommandRetention(),
					(this.longestLease != null) ? this.longestLease : properties.leaseTime());
		}

	}

	/**
	 * TLS to the servers of a quorum.
	 *
	 * @param bundle Name of the SSL bundle to use for those of the nodes that are
	 * rediss:// URIs. Without it they are trusted if the JVM trusts them.
	 */
	public record Ssl(@Nullable String bundle) {
	}

	/**
	 * Replicas of Redis.
	 *
	 * @param minReplicas How many replicas must have a lock before it is granted, so that
	 * it survives a failover to one of them. Zero does not wait for replicas.
	 * @param timeout Time in which the replicas must acknowledge the lock. Otherwise it
	 * is given up and the request fails. Less than 2s and than a sixth of the lease time.
	 */
	public record Replication(@DefaultValue("0") int minReplicas, @DefaultValue("500ms") Duration timeout) {

	}

	/**
	 * Shutdown of the application.
	 *
	 * @param drainTimeout Time from the beginning of a shutdown in which running work
	 * gets locks, and from its last phase in which holders may finish before their locks
	 * are left to expire. Counts against spring.lifecycle.timeout-per-shutdown-phase.
	 */
	public record Shutdown(@DefaultValue("20s") Duration drainTimeout) {

		public Shutdown {
			requireWithin("shutdown.drain-timeout", drainTimeout, Duration.ZERO);
		}

	}

	/**
	 * Annotated methods.
	 *
	 * @param enabled Whether methods annotated with @DistributedLock are locked.
	 * @param mode How annotated methods get their locks.
	 * @param order Order of the lock among the advice of a method. Lower is further
	 * outside; by default it is outside of transactions and caches.
	 */
	public record Aspect(@DefaultValue("true") boolean enabled, @DefaultValue("proxy") Mode mode,
			@DefaultValue("" + LockAdvisor.DEFAULT_ORDER) int order) {

	}

	/**
	 * Locks for other libraries.
	 *
	 * @param springIntegration Whether to provide a LockRegistry of Spring Integration.
	 * @param shedlock Whether to provide a LockProvider of ShedLock.
	 */
	public record Adapter(boolean springIntegration, boolean shedlock) {

	}

	/**
	 * Actuator's endpoint of locks.
	 *
	 * @param forceRelease Whether a DELETE request takes a lock away from whoever has it.
	 * Needs unrestricted access as well: management.endpoint.locks.access, or by default
	 * management.endpoints.access.default.
	 */
	public record Endpoint(boolean forceRelease) {

	}

	/**
	 * Page that shows the locks.
	 *
	 * @param path Where the page is, on the port of the management endpoints. The page
	 * follows the access rules of the endpoint of locks.
	 */
	public record Dashboard(@DefaultValue("/distributed-locks") String path) {

		private static final Pattern PATH = Pattern.compile("(/[\\w.~-]+)+");

		public Dashboard {
			if (!PATH.matcher(path).matches()) {
				throw new LockPropertyException(
						"distributed-lock.dashboard.path must be a path such as /distributed-locks but is '%s'"
							.formatted(Credentials.masked(path)),
						"dashboard.path");
			}
		}

	}

	/**
	 * Warnings in the log.
	 *
	 * @param waitTime Time after which the log warns of a request that still waits, and
	 * of who holds the lock; again whenever that time has doubled. By default it does
	 * not.
	 * @param holdTime Time after which the log warns of a lock that is still held; again
	 * whenever that time has doubled. By default it does not.
	 * @param stackTrace Whether these warnings show what the thread that holds the lock
	 * is doing, if it belongs to this instance.
	 * @param selfInvocation Whether to warn of beans that call their own locked methods,
	 * which then run without their locks.
	 * @param adviceOrder Whether to warn of beans whose retries and limits run inside of
	 * the lock, such as those of spring-retry and Resilience4j.
	 * @param scheduledSkip Whether to warn of scheduled methods with onTimeout = SKIP and
	 * no holdAtLeast, which several instances may run one after the other.
	 */
	public record Warn(@Nullable Duration waitTime, @Nullable Duration holdTime, boolean stackTrace,
			@DefaultValue("true") boolean selfInvocation, @DefaultValue("true") boolean adviceOrder,
			@DefaultValue("true") boolean scheduledSkip) {

		SlowLockWarnings.Thresholds thresholds() {
			return new SlowLockWarnings.Thresholds(this.waitTime, this.holdTime, this.stackTrace);
		}

		public Warn {
			if (waitTime != null) {
				requireWithin("warn.wait-time", waitTime, Durations.SHORTEST_LEASE);
			}
			if (holdTime != null) {
				requireWithin("warn.hold-time", holdTime, Durations.SHORTEST_LEASE);
			}
		}

	}

	/**
	 * A further registry of locks. What is not set is as for the default one, except for
	 * replicas and a quorum, which are used only where the registry sets them.
	 *
	 * @param connectionFactory Name of the RedisConnectionFactory bean that leads to its
	 * Redis.
	 * @param keyPrefix First part of all its Redis keys.
	 * @param waitTime Longest wait for its locks where nothing else is said.
	 * @param leaseTime Time after which its lock of an instance that died is free again.
	 * @param maxHoldTime Time after which its locks are not renewed any more.
	 * @param replication Replicas of its Redis.
	 * @param quorum Several independent Redis servers of its own instead of one.
	 */
	public record Registry(@Nullable String connectionFactory, @Nullable String keyPrefix, @Nullable Duration waitTime,
			@Nullable Duration leaseTime, @Nullable Duration maxHoldTime, @DefaultValue Replication replication,
			@DefaultValue Quorum quorum) {

	}

	/**
	 * Where locks are kept.
	 */
	public enum Backend {

		/** In Redis, shared by all instances. */
		REDIS,
		/** In this JVM only, for tests and for applications with a single instance. */
		IN_MEMORY

	}

	/**
	 * How calls of annotated methods come to their locks.
	 */
	public enum Mode {

		/** Through the proxy of the bean: calls from outside of the bean only. */
		PROXY,
		/** By AspectJ, which weaves the lock into the method: all calls. */
		ASPECTJ

	}

	/**
	 * What happens to a thread that loses its lock.
	 */
	public enum OnLost {

		/** Nothing: the loss is an event, and an exception when the lock is released. */
		EVENT,
		/** The thread is interrupted as well. */
		INTERRUPT

	}

	/**
	 * What a thread waits for when it releases a lock.
	 */
	public enum Release {

		/** The reply of Redis: a loss that only the release discovers is an exception. */
		AWAIT,
		/** Nothing: the release is sent, and such a loss is only an event. */
		SEND

	}

}
