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
 * @param enabled Whether to set up locks. Without them, annotated methods run unlocked.
 * @param backend Store of the locks.
 * @param instance Name under which other instances see the locks of this one. By default
 * the application's name with a random suffix.
 * @param keyPrefix Prefix of all Redis keys: letters, digits and _ : . / - but no - at
 * the beginning.
 * @param waitTime Wait time of requests that omit it. Zero tries once.
 * @param leaseTime Time after which the lock of a crashed instance is free again. While
 * the lock is held, it is renewed after a third of this time.
 * @param maxHoldTime Time after which a lock is no longer renewed, even if it is still
 * held. By default it is renewed for as long as it is held.
 * @param onLost Treatment of a thread whose lock is lost while the thread holds it.
 * @param release Reply that a thread waits for when it releases a lock.
 * @param handover Hand-over of locks within this instance.
 * @param callbackThreads Maximum number of threads that run callbacks of asynchronous
 * requests for locks, and begin annotated methods that return futures or publishers.
 * Further callbacks wait; renewals and releases do not. On Java 24 and later, callbacks
 * run on virtual threads without a limit.
 * @param lateCommandRetention Time for which Redis remembers the end of a lock for which
 * a command was repeated or given up, so that it can reject that command if it arrives
 * late. In a quorum, also the time for which it keeps the lock's last token.
 * @param fence Fencing tokens in the database, which methods with fenced = true use.
 * @param replication Replicas of Redis.
 * @param quorum Several independent Redis servers instead of one.
 * @param releaseAfterTransaction Whether the lock of an annotated method is held until
 * the end of the transaction in which the method was called.
 * @param shutdown Shutdown of the application.
 * @param aspect Annotated methods.
 * @param adapter Locks for other libraries.
 * @param endpoint Actuator's endpoint of locks.
 * @param dashboard Page that shows the locks, if lock-dashboard is on the class path.
 * @param warn Warnings in the log.
 * @param registries Further lock registries by name, each with its own Redis. Each has
 * the properties connection-factory, key-prefix, wait-time, lease-time, max-hold-time,
 * replication.min-replicas, replication.timeout, and instead of a connection-factory
 * quorum.nodes, quorum.longest-lease and quorum.ssl.bundle.
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
	 * Returns the settings of another registry, which inherits what it omits from these.
	 * @throws LockPropertyException if the settings are invalid
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
	 * Hand-over of locks within this instance.
	 *
	 * @param limit Maximum number of times that a released lock is handed over to another
	 * thread of this instance while other instances wait for it. While no other instance
	 * waits, Redis only has to confirm the lock every 500 ms. Zero releases the lock in
	 * Redis every time.
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
	 * locks, need different tables.
	 * @param initializeSchema When to create the table if it does not exist.
	 * @param retention Time after which the row of an unused lock is deleted. It must be
	 * longer than any transaction.
	 * @param transactionManager Name of the transaction manager bean whose transactions
	 * are verified, if there are several.
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
	 * Conditions for creating the table of fencing tokens.
	 */
	public enum InitializeSchema {

		/** Created in an embedded database. */
		EMBEDDED,
		/** Created in any database. */
		ALWAYS,
		/** Never created. */
		NEVER

	}

	/**
	 * Several independent Redis servers instead of one.
	 *
	 * @param nodes URIs of an odd number of independent Redis servers, at least 3, of
	 * which a majority has to grant a lock: redis://user:password@host:port, or rediss://
	 * with TLS. Used instead of spring.data.redis, and the same on all instances.
	 * @param longestLease Maximum lease that any instance requests, the same on all of
	 * them; by default the lease time. A server that is new or has lost its data does not
	 * vote until this time has passed. The first lock of a new installation therefore
	 * waits that long.
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
	 * @param bundle Name of the SSL bundle for those nodes that are rediss:// URIs.
	 * Without it, a server is trusted if the JVM trusts it.
	 */
	public record Ssl(@Nullable String bundle) {
	}

	/**
	 * Replicas of Redis.
	 *
	 * @param minReplicas Number of replicas that must have a lock before it is granted,
	 * so that it survives a failover to one of them. Zero does not wait for replicas.
	 * @param timeout Time in which the replicas must acknowledge the lock. Otherwise the
	 * lock is released, and the request fails or, if it already waits, is repeated. The
	 * timeout must be less than 2s, and less than a sixth of the lease time.
	 */
	public record Replication(@DefaultValue("0") int minReplicas, @DefaultValue("500ms") Duration timeout) {

	}

	/**
	 * Shutdown of the application.
	 *
	 * @param drainTimeout Time from the beginning of a shutdown in which running work
	 * still acquires locks, and from its last phase in which holders may finish before
	 * their locks are left to expire. Counts towards
	 * spring.lifecycle.timeout-per-shutdown-phase.
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
	 * @param mode Way in which calls of annotated methods are intercepted.
	 * @param order Order of the lock among the advice of a method. A lower order is
	 * further outside; by default the lock is outside transactions and caches.
	 */
	public record Aspect(@DefaultValue("true") boolean enabled, @DefaultValue("proxy") Mode mode,
			@DefaultValue("" + LockAdvisor.DEFAULT_ORDER) int order) {

	}

	/**
	 * Locks for other libraries.
	 *
	 * @param springIntegration Whether to provide a LockRegistry of Spring Integration.
	 * Has no effect if there is another bean of this type.
	 * @param shedlock Whether to provide a LockProvider of ShedLock. Has no effect if
	 * there is another bean of this type.
	 */
	public record Adapter(boolean springIntegration, boolean shedlock) {

	}

	/**
	 * Actuator's endpoint of locks.
	 *
	 * @param forceRelease Whether a DELETE request force-releases a lock. Needs
	 * unrestricted access as well: management.endpoint.locks.access, or by default
	 * management.endpoints.access.default.
	 */
	public record Endpoint(boolean forceRelease) {

	}

	/**
	 * Page that shows the locks.
	 *
	 * @param path Path of the page on the port of the management endpoints. The page
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
	 * @param waitTime Time after which a waiting request is logged as a warning with the
	 * holder of the lock, again whenever that time has doubled. By default it is not.
	 * @param holdTime Time after which a lock that is still held is logged as a warning,
	 * again whenever that time has doubled. By default it is not.
	 * @param stackTrace Whether the warnings about long holds and waits include the stack
	 * trace of the thread that holds the lock, if it belongs to this instance.
	 * @param selfInvocation Whether to warn about beans that call their own locked
	 * methods, which then run without their locks.
	 * @param adviceOrder Whether to warn about beans whose retries and limits run inside
	 * the lock, such as those of spring-retry and Resilience4j.
	 * @param scheduledSkip Whether to warn about scheduled methods with onTimeout = SKIP
	 * and no holdAtLeast, which several instances may run one after the other.
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
	 * Further lock registry, which inherits what it omits from the default one, except
	 * for the settings of replicas and of a quorum.
	 *
	 * @param connectionFactory Name of the RedisConnectionFactory bean of its Redis.
	 * @param keyPrefix Prefix of all its Redis keys.
	 * @param waitTime Wait time of requests for its locks that omit it.
	 * @param leaseTime Time after which its lock of a crashed instance is free again.
	 * @param maxHoldTime Time after which its locks are no longer renewed.
	 * @param replication Replicas of its Redis.
	 * @param quorum Several independent Redis servers instead of one.
	 */
	public record Registry(@Nullable String connectionFactory, @Nullable String keyPrefix, @Nullable Duration waitTime,
			@Nullable Duration leaseTime, @Nullable Duration maxHoldTime, @DefaultValue Replication replication,
			@DefaultValue Quorum quorum) {

	}

	/**
	 * Store of the locks.
	 */
	public enum Backend {

		/** Redis, shared by all instances. */
		REDIS,
		/** Memory of this JVM, for tests and for applications with a single instance. */
		IN_MEMORY

	}

	/**
	 * Way in which calls of annotated methods are intercepted.
	 */
	public enum Mode {

		/** Proxy of the bean, which intercepts calls from outside the bean only. */
		PROXY,
		/** AspectJ, which weaves the lock into the method and intercepts all calls. */
		ASPECTJ

	}

	/**
	 * Treatment of a thread that loses its lock.
	 */
	public enum OnLost {

		/** Event only. The release of the lock throws an exception. */
		EVENT,
		/** Event and interrupt of the thread. */
		INTERRUPT

	}

	/**
	 * Event that a thread waits for when it releases a lock.
	 */
	public enum Release {

		/** The reply of Redis: a loss that only the release discovers is an exception. */
		AWAIT,
		/** None: the release is sent, and such a loss is only an event. */
		SEND

	}

}
