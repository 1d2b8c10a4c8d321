package io.lockstarter.application;

import java.util.List;
import java.util.stream.Stream;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.testing.RedisServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * An instance of an application that keeps its locks in a given Redis.
 */
final class Application implements AutoCloseable {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	/**
	 * Start an instance.
	 * @param redis the server
	 * @param beans the classes of its beans and configurations
	 * @param properties further properties, as {@code name=value}
	 */
	Application(RedisServer redis, List<Class<?>> beans, String... properties) {
		TestPropertyValues.of("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port())
			.and(properties)
			.applyTo(this.context);
		AutoConfigurations configurations = AutoConfigurations.of(DataRedisAutoConfiguration.class,
				AopAutoConfiguration.class, TaskSchedulingAutoConfiguration.class, LockAutoConfiguration.class);
		Class<?>[] ordered = Configurations.getClasses(configurations);
		this.context.register(Stream.concat(beans.stream(), Stream.of(ordered)).toArray(Class<?>[]::new));
		this.context.refresh();
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	LockRegistry locks() {
		return bean(LockRegistry.class);
	}

	LockMonitor monitor() {
		return bean(LockMonitor.class);
	}

	/** Whether the locks are on their own: none is held, and none is waited for. */
	boolean isIdle() {
		return monitor().held().isEmpty() && monitor().waiting().isEmpty();
	}

	@Override
	public void close() {
		this.context.close();
	}

}
