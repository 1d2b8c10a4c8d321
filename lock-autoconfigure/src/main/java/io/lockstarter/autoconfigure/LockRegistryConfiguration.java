package io.lockstarter.autoconfigure;

import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.lockstarter.autoconfigure.DistributedLockProperties.OnLost;
import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Configuration of the registry over whichever backend there is.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockRegistry.class)
class LockRegistryConfiguration {

	/**
	 * Its name is not the obvious one, which applications with Spring Integration use for
	 * a bean of theirs.
	 */
	@Bean
	DefaultLockRegistry distributedLockRegistry(ObjectProvider<LockBackend> backends,
			DistributedLockProperties properties, ObjectProvider<LockListener> listeners,
			ObjectProvider<LockObserver> observers, ObjectProvider<CallerContext> callerContext,
			LockLifecycle lifecycle, Environment environment) {
		LockBackend backend = backends.getIfAvailable();
		if (backend == null) {
			throw new LockSetupException(
					"Distributed locks are to be kept in Redis, but Spring Data Redis is not on the class path.",
					"Add the dependency spring-boot-starter-data-redis (lock-starter has it), define a LockBackend"
							+ " bean, or set distributed-lock.backend=in-memory for tests and single instances.");
		}
		DefaultLockRegistry registry = new DefaultLockRegistry(backend, settings(properties, environment),
				inOrder(listeners), inOrder(observers), callerContext.getIfAvailable(() -> CallerContext.NONE));
		lifecycle.manage(registry);
		return registry;
	}

	private static EngineSettings settings(DistributedLockProperties properties, Environment environment) {
		return new EngineSettings(instance(properties, environment), properties.waitTime(), properties.leaseTime(),
				properties.maxHoldTime(), properties.onLost() == OnLost.INTERRUPT, properties.handover().limit(),
				properties.callbackThreads());
	}

	private static String instance(DistributedLockProperties properties, Environment environment) {
		String instance = properties.instance();
		if (instance != null && !instance.isBlank()) {
			return instance;
		}
		String suffix = HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
		return environment.getProperty("spring.application.name", "application") + "-" + suffix;
	}

	private static <T> List<T> inOrder(ObjectProvider<T> beans) {
		return beans.orderedStream().toList();
	}

	@Bean
	LockLifecycle lockLifecycle(DistributedLockProperties properties, ConfigurableApplicationContext context) {
		return new LockLifecycle(properties.shutdown().drainTimeout(), context);
	}

	@Bean
	LockLossPublisher lockLossPublisher(ApplicationEventPublisher publisher) {
		return new LockLossPublisher(publisher);
	}

}
