package io.lockstarter.application;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockContext;
import io.lockstarter.testing.ChildJvm;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * An application of a JVM of its own, which tells what it finds and does. It uses nothing
 * that an application may lack.
 */
public final class SmallApplication {

	private SmallApplication() {
	}

	/**
	 * Start the application.
	 * @param args its properties
	 */
	public static void main(String[] args) {
		ChildJvm.exitWithParent();
		for (String type : new String[] { "reactor.core.publisher.Mono", "io.lettuce.core.RedisClient",
				"org.springframework.transaction.TransactionManager", "org.aspectj.weaver.Advice",
				"org.springframework.data.redis.core.RedisTemplate", "io.micrometer.core.instrument.Meter",
				"kotlin.Unit" }) {
			System.out.println(type + ": " + (ClassUtils.isPresent(type, null) ? "present" : "absent"));
		}
		String[] properties = Arrays.stream(args).map((arg) -> "--" + arg).toArray(String[]::new);
		Class<?> backend = ClassUtils.isPresent("redis.clients.jedis.Jedis", null) ? WithRedis.class : InMemory.class;
		try (ConfigurableApplicationContext context = start(properties, backend, Service.class)) {
			Service service = context.getBean(Service.class);
			System.out.println("plain under " + service.plain());
			System.out.println("stage under " + service.stage().join());
		}
		try (ConfigurableApplicationContext context = start(properties, backend, PublisherService.class)) {
			System.out.println("publisher accepted: " + context.isActive());
		}
		catch (RuntimeException ex) {
			System.out.println("publisher refused: " + ex.getMessage());
		}
		System.out.println("done");
		System.exit(0);
	}

	private static ConfigurableApplicationContext start(String[] properties, Class<?>... sources) {
		return new SpringApplicationBuilder(sources).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off")
			.run(properties);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, LockAutoConfiguration.class })
	static class InMemory {

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, AopAutoConfiguration.class,
			LockAutoConfiguration.class })
	static class WithRedis {

	}

	static class Service {

		@DistributedLock(name = "plain")
		public String plain() {
			return LockContext.current().name();
		}

		@DistributedLock(name = "stage")
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture(LockContext.current().name());
		}

	}

	static class PublisherService {

		@DistributedLock
		public Flow.@Nullable Publisher<String> publisher() {
			return null;
		}

	}

}
