package io.lockstarter.autoconfigure;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

import io.lockstarter.autoconfigure.DistributedLockProperties.OnLost;
import io.lockstarter.autoconfigure.DistributedLockProperties.Release;
import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.LockRegistryBuilder;
import io.lockstarter.engine.Registries;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;

/**
 * Factory of registries over their backends, with the listeners and observers of the
 * application.
 */
final class LockRegistryFactory {

	private final String instance;

	private final ObjectProvider<LockListener> listeners;

	private final ObjectProvider<LockObserver> observers;

	private final ObjectProvider<CallerContext> callerContext;

	private final ObjectProvider<LockFence> fence;

	LockRegistryFactory(DistributedLockProperties properties, ObjectProvider<LockListener> listeners,
			ObjectProvider<LockObserver> observers, ObjectProvider<CallerContext> callerContext,
			ObjectProvider<LockFence> fence, Environment environment) {
		this.instance = instance(properties, environment);
		this.listeners = listeners;
		this.observers = observers;
		this.callerContext = callerContext;
		this.fence = fence;
	}

	private static String instance(DistributedLockProperties properties, Environment environment) {
		String instance = properties.instance();
		if (instance != null && !instance.isBlank()) {
			return instance;
		}
		String suffix = HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
		return environment.getProperty("spring.application.name", "application") + "-" + suffix;
	}

	DefaultLockRegistry create(LockBackend backend, DistributedLockProperties properties, LockLifecycle lifecycle,
			Registries registries) {
		LockRegistryBuilder builder = LockRegistryBuilder.of(backend)
			.instance(this.instance)
			.waitTime(properties.waitTime())
			.leaseTime(properties.leaseTime())
			.handoverLimit(properties.handover().limit())
			.callbackThreads(properties.callbackThreads())
			.callerContext(this.callerContext.getIfAvailable(() -> CallerContext.NONE))
			.registries(registries);
		if (properties.maxHoldTime() != null) {
			builder.maxHoldTime(properties.maxHoldTime());
		}
		if (properties.onLost() == OnLost.INTERRUPT) {
			builder.interruptOnLoss();
		}
		if (properties.release() == Release.SEND) {
			builder.sendReleases();
		}
		this.listeners.orderedStream().forEach(builder::listener);
		this.observers.orderedStream().forEach(builder::observer);
		DefaultLockRegistry registry = builder.build();
		registry.fence(this.fence::getIfAvailable);
		lifecycle.manage(registry);
		return registry;
	}

}
