package io.lockstarter.autoconfigure;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.Registries;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Configuration of the registry over the configured backend.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockRegistry.class)
@Import(NamedLockRegistries.Registrar.class)
class LockRegistryConfiguration {

	/**
	 * Creates the registry. The obvious bean name is avoided, because applications with
	 * Spring Integration use it for a bean of their own.
	 */
	@Bean
	DefaultLockRegistry distributedLockRegistry(ObjectProvider<LockBackend> backends,
			DistributedLockProperties properties, LockRegistryFactory factory, LockLifecycle lifecycle,
			ObjectProvider<LockRegistries> several) {
		LockBackend backend = backends.getIfAvailable();
		if (backend == null) {
			throw new LockSetupException(
					"Distributed locks are configured for Redis, but Spring Data Redis is not on the class path.",
					"Add the dependency spring-boot-starter-data-redis (lock-starter has it), define a LockBackend"
							+ " bean, or set distributed-lock.backend=in-memory for tests and single instances.");
		}
		LockRegistries others = several.getIfAvailable();
		return factory.create(backend, properties, lifecycle,
				(others != null) ? new Registries(LockRequest.DEFAULT_REGISTRY, others::get) : Registries.ONE);
	}

	@Bean
	LockRegistryFactory lockRegistryFactory(DistributedLockProperties properties,
			ObjectProvider<LockListener> listeners, ObjectProvider<LockObserver> observers,
			ObjectProvider<CallerContext> callerContext, ObjectProvider<LockFence> fence, Environment environment) {
		return new LockRegistryFactory(properties, listeners, observers, callerContext, fence, environment);
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
