package io.lockstarter.application;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.testing.ChildJvm;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

import static org.awaitility.Awaitility.await;

/**
 * An application of a JVM of its own, which tells what it finds and does. It uses nothing
 * that an application may lack. Under its first lock it waits for a line.
 */
public final class SmallApplication {

	private static final CountDownLatch LINE = new CountDownLatch(1);

	private SmallApplication() {
	}

	/**
	 * Start the application.
	 * @param args its properties
	 */
	public static void main(String[] args) {
		ChildJvm.exitWithParent((line) -> LINE.countDown());
		for (String type : new String[] { "reactor.core.publisher.Mono", "io.lettuce.core.RedisClient",
				"org.springframework.transaction.TransactionManager", "org.aspectj.weaver.Advice",
				"org.springframework.data.redis.core.RedisTemplate", "io.micrometer.core.instrument.Meter",
				"org.springframework.boot.actuate.endpoint.annotation.Endpoint", "kotlin.Unit" }) {
			System.out.println(type + ": " + (ClassUtils.isPresent(type, null) ? "present" : "absent"));
		}
		String[] properties = Arrays.stream(args).map((arg) -> "--" + arg).toArray(String[]::new);
		try (ConfigurableApplicationContext context = start(properties, Service.class)) {
			System.out.println("observed by " + observers(context));
			awaitBackend(context.getBean(LockMonitor.class));
			Service service = context.getBean(Service.class);
			System.out.println("plain under " + service.plain(() -> holdUntilALineComes(service)));
			System.out.println("stage under " + service.stage().join());
		}
		try (ConfigurableApplicationContext context = start(properties, PublisherService.class)) {
			System.out.println("publisher accepted: " + context.isActive());
		}
		catch (RuntimeException ex) {
			System.out.println("publisher refused: " + ex.getMessage());
		}
		System.out.println("done");
		System.exit(0);
	}

	private static ConfigurableApplicationContext start(String[] properties, Class<?> service) {
		return new SpringApplicationBuilder(Application.class, service).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "management.endpoints.web.exposure.include=locks")
			.run(properties);
	}

	/** A busy machine may take longer to connect than a lock waits for it. */
	private static void awaitBackend(LockMonitor monitor) {
		await().atMost(Duration.ofMinutes(1)).until(() -> monitor.health().join().up());
	}

	/** What shows locks to the world, of which most needs a library. */
	static String observers(ApplicationContext context) {
		return Arrays.stream(context.getBeanDefinitionNames())
			.map(context::getType)
			.filter(Objects::nonNull)
			.filter((type) -> type.getName().matches("io\\.lockstarter\\.(actuate|observation)\\..*"))
			.map(Class::getSimpleName)
			.sorted()
			.collect(Collectors.joining(" "));
	}

	private static void holdUntilALineComes(Service service) {
		System.out.println("another thread under " + CompletableFuture.supplyAsync(() -> service.plain(() -> {
		})).join());
		try {
			LINE.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	public static class Application {

	}

	public static class Service {

		@DistributedLock(name = "plain", waitTime = "0", onTimeout = OnTimeout.SKIP)
		public @Nullable String plain(Runnable meanwhile) {
			String name = LockContext.current().name();
			meanwhile.run();
			return name;
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
