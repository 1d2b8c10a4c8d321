package io.lockstarter.application;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a JVM that ends by {@link System#exit} while the threads that call it hold
 * locks.
 */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExitTests {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@Test
	void waitsForNoHolderAndReleasesLocksOfThreads() {
		exits("--exit.virtual=false");
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "Virtual threads came with Java 21")
	void waitsForNoHolderAndReleasesLocksOfVirtualThreads() {
		exits("--exit.virtual=true");
	}

	private void exits(String threads) {
		try (RedisServer redis = RedisServer.start();
				ChildJvm jvm = ChildJvm.start(ExitingApplication.class, threads,
						"--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port())) {
			jvm.awaitLine("exits"::equals, PATIENCE);
			await().atMost(PATIENCE).until(() -> !jvm.isAlive());
			try (Application other = new Application(redis, List.of())) {
				Arrays.stream(Under.values())
					.forEach(
							(under) -> assertThat(isHeld(other.monitor(), under)).as("%s is held after the exit", under)
								.isEqualTo(under.mayBeAtWorkElsewhere));
			}
		}
	}

	private static boolean isHeld(LockMonitor monitor, Under under) {
		return !monitor.inspect(under.name()).join().holders().isEmpty();
	}

	/**
	 * How a lock is held while its holder exits.
	 */
	enum Under {

		ANNOTATED(false) {

			@Override
			void run(Jobs jobs, LockRegistry registry, Runnable work) {
				jobs.run(() -> jobs.run(work));
			}

		},

		NAMED_LOCK(false) {

			@Override
			void run(Jobs jobs, LockRegistry registry, Runnable work) {
				registry.readWriteLock(name()).readLock().lock();
				work.run();
			}

		},

		KEPT(true) {

			@Override
			void run(Jobs jobs, LockRegistry registry, Runnable work) {
				jobs.keep(work);
			}

		},

		EXECUTE_ASYNC(true) {

			@Override
			void run(Jobs jobs, LockRegistry registry, Runnable work) {
				registry.executeAsync(LockRequest.of(name()), () -> {
					work.run();
					return new CompletableFuture<>();
				});
			}

		};

		private final boolean mayBeAtWorkElsewhere;

		Under(boolean mayBeAtWorkElsewhere) {
			this.mayBeAtWorkElsewhere = mayBeAtWorkElsewhere;
		}

		abstract void run(Jobs jobs, LockRegistry registry, Runnable work);

	}

	static class Jobs {

		@DistributedLock(name = "ANNOTATED")
		public void run(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "KEPT", holdAtLeast = "1ms")
		public void keep(Runnable work) {
			work.run();
		}

	}

	/**
	 * Ends itself by all of its threads at once, when each of them holds its lock.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LifecycleAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class })
	static class ExitingApplication {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

		public static void main(String[] args) throws InterruptedException {
			ChildJvm.exitWithParent();
			ConfigurableApplicationContext context = new SpringApplicationBuilder(ExitingApplication.class)
				.web(WebApplicationType.NONE)
				.properties("spring.main.banner-mode=off", "distributed-lock.lease-time=1h",
						"distributed-lock.shutdown.drain-timeout=1d", "spring.lifecycle.timeout-per-shutdown-phase=1d")
				.run(args);
			SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor();
			threads.setVirtualThreads(context.getEnvironment().getRequiredProperty("exit.virtual", Boolean.class));
			CountDownLatch holding = new CountDownLatch(Under.values().length);
			for (Under under : Under.values()) {
				threads.execute(() -> under.run(context.getBean(Jobs.class), context.getBean(LockRegistry.class),
						() -> exit(holding)));
			}
			Thread.currentThread().join();
		}

		private static void exit(CountDownLatch holding) {
			try {
				holding.countDown();
				holding.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			System.out.println("exits");
			System.exit(0);
		}

	}

}
