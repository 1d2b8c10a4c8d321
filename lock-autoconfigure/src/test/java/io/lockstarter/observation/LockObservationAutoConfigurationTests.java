package io.lockstarter.observation;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.lockstarter.actuate.FakeLockMonitor;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockObservationAutoConfiguration;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class LockObservationAutoConfigurationTests {

	private static final SlowLockWarnings.Thresholds NEVER = new SlowLockWarnings.Thresholds(null, null, false);

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockObservationAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.bare.withBean(FakeLockMonitor.class)
		.withBean(SimpleMeterRegistry.class);

	@Test
	void contributesMetersAndGauges() {
		this.runner
			.run((context) -> assertThat(context).hasSingleBean(LockMeters.class).hasSingleBean(LockGauges.class));
	}

	@Test
	void namesAndTagsByTheUsersConventions() {
		ApplicationContextRunner named = this.bare.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.backend=in-memory")
			.withBean(LockAcquireConvention.class, () -> new DefaultLockAcquireConvention() {
				@Override
				public String getName() {
					return "my.lock.acquire";
				}
			});
		named.withBean(TestObservationRegistry.class, TestObservationRegistry::create).run((context) -> {
			context.getBean(DefaultLockRegistry.class).acquire(LockRequest.of("a")).close();
			TestObservationRegistryAssert.assertThat(context.getBean(TestObservationRegistry.class))
				.hasObservationWithNameEqualTo("my.lock.acquire");
		});
		named.withBean(SimpleMeterRegistry.class).run((context) -> {
			context.getBean(DefaultLockRegistry.class).acquire(LockRequest.of("a")).close();
			assertThat(context.getBean(MeterRegistry.class).get("my.lock.acquire").timer().count()).isEqualTo(1);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void timesOnceInAnApplicationWithActuatorsMetrics(boolean observed) {
		ApplicationContextRunner metrics = this.bare
			.withConfiguration(
					AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
							SimpleMetricsExportAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.backend=in-memory");
		AutoConfigurations observation = AutoConfigurations.of(ObservationAutoConfiguration.class);
		(observed ? metrics.withConfiguration(observation) : metrics).run((context) -> {
			assertThat(context.getBeanNamesForType(ObservationRegistry.class)).hasSize(observed ? 1 : 0);
			context.getBean(DefaultLockRegistry.class).acquire(LockRequest.of("a")).close();
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(timer(registry, "distributed.lock.acquire").getTags()).containsExactly(
					Tag.of("name", "programmatic"), Tag.of("outcome", "acquired"), Tag.of("type", "reentrant"));
			assertThat(timer(registry, "distributed.lock.hold").getTags())
				.containsExactly(Tag.of("name", "programmatic"), Tag.of("type", "reentrant"));
			assertThat(registry.getMeters()).extracting((meter) -> meter.getId().getName())
				.contains("distributed.lock.hold")
				.doesNotContain("distributed.lock.hold.active", "distributed.lock.acquire.active");
		});
	}

	private static Meter.Id timer(MeterRegistry registry, String name) {
		assertThat(registry.get(name).timers()).hasSize(1);
		assertThat(registry.get(name).timer().count()).isEqualTo(1);
		return registry.get(name).timer().getId();
	}

	@Test
	void recordsFlightsWithoutMicrometer() {
		this.bare.withBean(FakeLockMonitor.class)
			.withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.micrometer"))
			.run((context) -> assertThat(context).hasSingleBean(LockFlightRecorder.class));
		this.bare.withBean(FakeLockMonitor.class)
			.withClassLoader(new FilteredClassLoader("jdk.jfr"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lockFlightRecorder"));
	}

	@Test
	void contributesNothingWithoutMicrometer() {
		this.bare.withBean(FakeLockMonitor.class)
			.withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("lockMeters")
				.doesNotHaveBean("lockGauges"));
	}

	@Test
	void contributesNothingWithoutMeterRegistry() {
		this.bare.withBean(FakeLockMonitor.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockMeters.class)
				.doesNotHaveBean(LockGauges.class));
	}

	@Test
	void contributesNothingWithoutLocks() {
		this.bare.withBean(SimpleMeterRegistry.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockMeters.class)
				.doesNotHaveBean(LockGauges.class));
	}

	@Test
	void givesWayToTheUsersMeters() {
		LockMeters own = new LockMeters(new SimpleMeterRegistry());
		this.runner.withBean("own", LockMeters.class, () -> own)
			.run((context) -> assertThat(context).getBean(LockMeters.class).isSameAs(own));
	}

	@Test
	void bindsInBootsRegistryThoughTheMonitorNeedsTheListeners() {
		this.bare
			.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class))
			.withUserConfiguration(ListeningMonitor.class)
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.get("distributed.lock.held").gauge().value()).isEqualTo(1);
				assertThat(registry.get("distributed.lock.acquire").timer().count()).isEqualTo(1);
			});
	}

	@Test
	void observesInAnApplicationWithLazyBeans() {
		lazy().run((context) -> assertThat(List.of("slowLockWarnings", "lockMeters", "lockObservations", "lockGauges",
				"lockFlightRecorder", "lockLossPublisher", "lockLifecycle"))
			.allMatch(context.getBeanFactory()::containsSingleton));
	}

	@Test
	void bindsGaugesThoughALazyMonitorIsBeingMade() {
		lazy().withBean(SlowLockWarnings.class, () -> new SlowLockWarnings(new FakeLockMonitor(), NEVER))
			.run((context) -> {
				LockRegistry locks = context.getBean(LockRegistry.class);
				try (LockHandle lock = locks.acquire(LockRequest.of("a"))) {
					assertThat(lock.isValid()).isTrue();
					MeterRegistry registry = context.getBean(MeterRegistry.class);
					assertThat(registry.get("distributed.lock.held").gauge().value()).isEqualTo(1);
				}
			});
	}

	private ApplicationContextRunner lazy() {
		return this.bare
			.withConfiguration(
					AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
							SimpleMetricsExportAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.backend=in-memory")
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));
	}

	/**
	 * Like the engine, one bean that tells observers and listeners, and is asked by
	 * gauges.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ListeningMonitor {

		@Bean
		LockMonitor lockMonitor(ObjectProvider<LockListener> listeners, ObjectProvider<LockObserver> observers) {
			LockRequest request = LockRequest.of("a").metricName("OrderService.ship");
			LockHandle lock = new FakeLockHandle("a", "b");
			observers.orderedStream()
				.map((observer) -> observer.requested(request))
				.filter(Objects::nonNull)
				.forEach((wait) -> wait.acquired(lock));
			listeners.orderedStream().forEach((listener) -> listener.acquired(lock, Duration.ZERO));
			return new FakeLockMonitor().hold("a");
		}

	}

}
