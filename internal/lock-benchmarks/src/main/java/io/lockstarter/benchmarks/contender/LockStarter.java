package io.lockstarter.benchmarks.contender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.autoconfigure.LockActuateAutoConfiguration;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockObservationAutoConfiguration;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * Lock Starter in a Spring Boot application.
 */
final class LockStarter implements Contender {

	private final ConfigurableApplicationContext application;

	private final LockRegistry registry;

	private final LockType type;

	private LockStarter(LockType type, Class<?> configuration, Setup setup, String... more) {
		this.type = type;
		List<String> properties = new ArrayList<>(List.of("spring.data.redis.url=" + setup.uri(),
				"distributed-lock.lease-time=" + setup.lease().toMillis() + "ms",
				"distributed-lock.late-command-retention=" + setup.retention().toMillis() + "ms"));
		properties.addAll(List.of(more));
		this.application = new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.properties(properties.toArray(String[]::new))
			.run();
		this.registry = this.application.getBean(LockRegistry.class);
		// The clients of other contenders are also connected after their start.
		this.application.getBean(LockBackend.class).connect().join();
	}

	static Contender start(Setup setup) {
		return new LockStarter(LockType.REENTRANT, Plain.class, setup);
	}

	static Contender withoutHandover(Setup setup) {
		return new LockStarter(LockType.REENTRANT, Plain.class, setup, "distributed-lock.handover.limit=0");
	}

	static Contender sendingReleases(Setup setup) {
		return new LockStarter(LockType.REENTRANT, Plain.class, setup, "distributed-lock.release=send");
	}

	static Contender observed(Setup setup) {
		return new LockStarter(LockType.REENTRANT, Observed.class, setup);
	}

	static Contender fair(Setup setup) {
		return new LockStarter(LockType.FAIR, Plain.class, setup);
	}

	static Contender quorum(Setup setup) {
		// New servers do not vote for the duration of the longest lease.
		return new LockStarter(LockType.REENTRANT, Plain.class, setup.withLease(Duration.ofSeconds(2)),
				"distributed-lock.quorum.nodes=" + String.join(",", setup.uris()));
	}

	@Override
	public Mutex mutex(String name) {
		return mutex(LockRequest.of(name).type(this.type));
	}

	@Override
	public Mutex readMutex(String name) {
		return mutex(LockRequest.of(name).type(LockType.READ));
	}

	@Override
	public Mutex mutex(String name, int permits) {
		return mutex(LockRequest.of(name).type(this.type).permits(permits));
	}

	private Mutex mutex(LockRequest request) {
		return new LockMutex(this.registry.get(request));
	}

	@Override
	public String redisKey(String name) {
		return "lock:{" + name + "}";
	}

	@Override
	public void close() {
		this.application.close();
	}

	/**
	 * Lock of the registry.
	 */
	private record LockMutex(NamedLock target) implements Mutex {

		@Override
		public void lock() {
			this.target.lock();
		}

		@Override
		public void unlock() {
			this.target.unlock();
		}

		@Override
		public long fencingToken() {
			return this.target.fencingToken();
		}

		@Override
		public boolean isHeld() {
			return this.target.isHeldByCurrentOwner();
		}

	}

	/**
	 * Application without Actuator.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Plain {

	}

	/**
	 * Application with meters, observations, health and endpoint of the locks.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
			MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
			SimpleMetricsExportAutoConfiguration.class, ObservationAutoConfiguration.class,
			LockObservationAutoConfiguration.class, LockActuateAutoConfiguration.class })
	static class Observed {

	}

}
