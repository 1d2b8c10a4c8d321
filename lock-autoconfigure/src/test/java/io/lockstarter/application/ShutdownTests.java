package io.lockstarter.application;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.contract.Actor;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for work with locks that goes on while its application shuts down.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShutdownTests {

	/** After the web server and before executors. */
	private static final int BEFORE_EXECUTORS = SmartLifecycle.DEFAULT_PHASE - 5000;

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	private final InMemoryLockStore store = new InMemoryLockStore();

	@AfterEach
	void close() {
		this.contexts.forEach(ConfigurableApplicationContext::close);
	}

	@ParameterizedTest
	@ValueSource(strings = { "pool", "simple", "scheduled" })
	void givesRunningJobItsLocks(String kind) {
		ConfigurableApplicationContext context = start(WebApplicationType.NONE, "job=" + kind);
		Work work = context.getBean(Work.class);
		if (!kind.equals("scheduled")) {
			context.getBean(AsyncJob.class).run();
		}
		finishesDuring(context, work);
	}

	@ParameterizedTest
	@ValueSource(strings = { "graceful", "immediate" })
	void givesRunningRequestItsLocks(String shutdown) {
		ConfigurableApplicationContext context = start(WebApplicationType.SERVLET, "job=web", "server.port=0",
				"server.shutdown=" + shutdown);
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port")))
			.build();
		CompletableFuture<HttpResponse<String>> response = HttpClient.newHttpClient()
			.sendAsync(request, HttpResponse.BodyHandlers.ofString());
		finishesDuring(context, context.getBean(Work.class));
		if (shutdown.equals("graceful")) {
			assertThat(response.join().body()).isEqualTo("done");
		}
	}

	private void finishesDuring(ConfigurableApplicationContext context, Work work) {
		await().until(() -> work.begun.getCount() == 0);
		Thread closing = new Thread(context::close);
		closing.start();
		await().until(() -> work.done.isDone());
		assertThat(work.done).isCompletedWithValue(10);
		await().until(() -> !closing.isAlive());
	}

	@Test
	void refusesLocksAfterDrainTime() {
		ConfigurableApplicationContext context = start(WebApplicationType.NONE, "job=pool",
				"distributed-lock.shutdown.drain-timeout=300ms");
		Work work = context.getBean(Work.class);
		work.endless = true;
		context.getBean(AsyncJob.class).run();
		await().until(() -> work.begun.getCount() == 0);
		Thread closing = new Thread(context::close);
		closing.start();
		await().until(() -> work.done.isDone());
		assertThatExceptionOfType(CompletionException.class).isThrownBy(work.done::join)
			.withCauseInstanceOf(LockRegistryClosedException.class);
		await().until(() -> !closing.isAlive());
	}

	/**
	 * A standby waits for a lock that another instance holds for as long as that lives.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "thread", "pool", "simple", "scheduled" })
	void doesNotWaitForAStandby(String kind) throws InterruptedException {
		try (DefaultLockRegistry other = otherInstance()) {
			LockHandle leader = other.acquire(LockRequest.of("leader"));
			ConfigurableApplicationContext context = start(WebApplicationType.NONE,
					kind.equals("simple") ? "job=simple" : "job=standby", "distributed-lock.shutdown.drain-timeout=1d",
					"spring.lifecycle.timeout-per-shutdown-phase=1d");
			CompletableFuture<?> standby = new CompletableFuture<>();
			standby(kind, context, () -> context.getBean(LockRegistry.class).get("leader").lock(), standby);
			await().until(() -> context.getBean(LockMonitor.class).waitingCount() == 1);
			context.close();
			assertThatExceptionOfType(CompletionException.class).isThrownBy(standby::join)
				.withCauseInstanceOf(LockRegistryClosedException.class);
			leader.close();
		}
	}

	private static void standby(String kind, ConfigurableApplicationContext context, Runnable work,
			CompletableFuture<?> done) {
		Runnable task = () -> {
			try {
				work.run();
				done.complete(null);
			}
			catch (Throwable ex) {
				done.completeExceptionally(ex);
			}
		};
		switch (kind) {
			case "thread" -> new Thread(task).start();
			case "scheduled" -> context.getBean(TaskScheduler.class).schedule(task, Instant.now());
			case "simple" -> context.getBean("taskExecutor", AsyncTaskExecutor.class).execute(task);
			default -> context.getBean("applicationTaskExecutor", AsyncTaskExecutor.class).execute(task);
		}
	}

	/** Within its wait time, a request of work that Spring waits for gets its lock. */
	@Test
	void grantsWhatIsReleasedWhileExecutorsStop() throws InterruptedException {
		try (DefaultLockRegistry other = otherInstance()) {
			LockHandle before = other.acquire(LockRequest.of("step:1"));
			ConfigurableApplicationContext context = start(WebApplicationType.NONE, "job=pool",
					"distributed-lock.wait-time=1m", "distributed-lock.shutdown.drain-timeout=1d");
			Work work = context.getBean(Work.class);
			context.getBean(AsyncJob.class).run();
			await().until(() -> context.getBean(LockMonitor.class).waitingCount() == 1);
			Thread closing = new Thread(context::close);
			closing.start();
			await().until(() -> !work.isRunning());
			before.close();
			await().until(work.done::isDone);
			assertThat(work.done).isCompletedWithValue(10);
			await().until(() -> !closing.isAlive());
		}
	}

	@ParameterizedTest
	@EnumSource
	void doesNotWaitForTheHolderThatClosesIt(Under under) throws Exception {
		ConfigurableApplicationContext context = start(WebApplicationType.NONE, "job=pool",
				"distributed-lock.shutdown.drain-timeout=1d");
		try (DefaultLockRegistry other = otherInstance()) {
			under.run(context, () -> {
				context.close();
				assertThat(other.inspect("a").join().holders()).as("not released under its holder").hasSize(1);
			});
			if (under != Under.KEPT) {
				await().until(() -> other.inspect("a").join().holders().isEmpty());
			}
		}
	}

	@Test
	void waitsForOtherHoldersThanTheOneThatClosesIt() throws InterruptedException {
		ConfigurableApplicationContext context = start(WebApplicationType.NONE, "job=pool",
				"distributed-lock.shutdown.drain-timeout=1d");
		LockHandle other = Actor.resultOf(context.getBean(LockRegistry.class).acquireAsync(LockRequest.of("other")));
		CompletableFuture<?> closed = new CompletableFuture<>();
		new Thread(() -> context.getBean(Closing.class).annotated(() -> {
			context.close();
			closed.complete(null);
		})).start();
		await().until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().equals("lock-shutdown")));
		assertThat(other.isValid()).isTrue();
		await().during(Duration.ofMillis(200)).until(() -> !closed.isDone());
		other.close();
		await().until(closed::isDone);
	}

	private DefaultLockRegistry otherInstance() {
		return new DefaultLockRegistry(new InMemoryLockBackend(this.store),
				new EngineSettings("other", Duration.ofMinutes(1), Duration.ofMinutes(1), null, false, 0), List.of());
	}

	private ConfigurableApplicationContext start(WebApplicationType web, String... properties) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(App.class).web(web)
			.initializers((GenericApplicationContext created) -> created.registerBean(LockBackend.class,
					() -> new InMemoryLockBackend(this.store)))
			.properties("spring.main.banner-mode=off", "distributed-lock.backend=in-memory")
			.properties(properties)
			.run();
		this.contexts.add(context);
		return context;
	}

	/**
	 * Takes ten locks in turn, the first of them before the application shuts down. It
	 * goes on when the phases of its work are about to be stopped.
	 */
	static class Work implements SmartLifecycle {

		final CountDownLatch begun = new CountDownLatch(1);

		final CompletableFuture<Integer> done = new CompletableFuture<>();

		private final CountDownLatch stopping = new CountDownLatch(1);

		private final Locked locked;

		private final int phase;

		private volatile boolean endless;

		Work(Locked locked, int phase) {
			this.locked = locked;
			this.phase = phase;
		}

		void run() {
			try {
				int locks = 0;
				while (locks < 10 || this.endless) {
					locks++;
					step(locks);
				}
				this.done.complete(locks);
			}
			catch (Throwable ex) {
				this.done.completeExceptionally(ex);
			}
		}

		private void step(int number) {
			boolean taken = false;
			while (!taken) {
				try {
					this.locked.step(number, this::awaitStopping);
					taken = true;
				}
				catch (LockInterruptedException ex) {
					// A web server interrupts its requests, which take no notice either
					Thread.interrupted();
				}
			}
		}

		private void awaitStopping() {
			this.begun.countDown();
			boolean stopped = false;
			while (!stopped) {
				try {
					this.stopping.await();
					stopped = true;
				}
				catch (InterruptedException ex) {
					// Executors interrupt their work, which takes no notice.
				}
			}
		}

		@Override
		public void start() {
		}

		@Override
		public void stop() {
			this.stopping.countDown();
		}

		@Override
		public boolean isRunning() {
			return this.stopping.getCount() > 0;
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

	}

	static class Locked {

		@DistributedLock(name = "step", key = "#step")
		public void step(int step, Runnable work) {
			work.run();
		}

	}

	/**
	 * How the lock "a" is held while some work runs.
	 */
	enum Under {

		ANNOTATED {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) {
				context.getBean(Closing.class).annotated(work);
			}

		},

		AGAIN {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) {
				Closing bean = context.getBean(Closing.class);
				bean.annotated(() -> bean.annotated(work));
			}

		},

		KEPT {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) {
				context.getBean(Closing.class).kept(work);
			}

		},

		BESIDE_ANOTHER {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) {
				context.getBean(Closing.class).outer(() -> context.getBean(Closing.class).annotated(work));
			}

		},

		STAGE_OF_A_METHOD {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) {
				context.getBean(Closing.class).stage(work).join();
			}

		},

		PUBLISHER {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) {
				context.getBean(Closing.class).publisher(work).block();
			}

		},

		EXECUTE {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) throws Exception {
				context.getBean(LockRegistry.class).execute(LockRequest.of("a"), work::run);
			}

		},

		EXECUTE_ASYNC {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) {
				context.getBean(LockRegistry.class).executeAsync(LockRequest.of("a"), () -> {
					work.run();
					return CompletableFuture.completedFuture(null);
				}).join();
			}

		},

		HANDLE {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) throws Exception {
				try (LockHandle handle = context.getBean(LockRegistry.class).acquire(LockRequest.of("a"))) {
					work.run();
				}
			}

		},

		HANDLE_OF_A_TASK {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) throws Exception {
				LockRequest request = LockRequest.of("a").owner(LockOwner.create("task"));
				try (LockHandle handle = context.getBean(LockRegistry.class).acquire(request);
						LockContext.Scope scope = LockContext.enter(handle)) {
					work.run();
				}
			}

		},

		NAMED_LOCK {

			@Override
			void run(ConfigurableApplicationContext context, Runnable work) {
				NamedLock lock = context.getBean(LockRegistry.class).readWriteLock("a").readLock();
				lock.lock();
				try {
					work.run();
				}
				finally {
					lock.unlock();
				}
			}

		};

		abstract void run(ConfigurableApplicationContext context, Runnable work) throws Exception;

	}

	static class Closing {

		@DistributedLock(name = "a")
		public void annotated(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "a", holdAtLeast = "1ms")
		public void kept(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "b")
		public void outer(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "a")
		public CompletableFuture<Void> stage(Runnable work) {
			work.run();
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock(name = "a")
		public Mono<Void> publisher(Runnable work) {
			return Mono.fromRunnable(work);
		}

	}

	static class AsyncJob {

		private final Work work;

		AsyncJob(Work work) {
			this.work = work;
		}

		@Async
		public void run() {
			this.work.run();
		}

	}

	static class ScheduledJob {

		private final Work work;

		ScheduledJob(Work work) {
			this.work = work;
		}

		@Scheduled(fixedDelay = Long.MAX_VALUE / 1_000_000)
		public void run() {
			this.work.run();
		}

	}

	@RestController
	static class Controller {

		private final Work work;

		Controller(Work work) {
			this.work = work;
		}

		@GetMapping("/")
		String run() {
			this.work.run();
			return "done";
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableAsync
	@EnableScheduling
	static class App {

		@Bean
		Locked locked() {
			return new Locked();
		}

		@Bean
		Closing closing() {
			return new Closing();
		}

		@Bean
		Work work(Locked locked, @Value("${job}") String job) {
			return new Work(locked, job.equals("web") ? SmartLifecycle.DEFAULT_PHASE : BEFORE_EXECUTORS);
		}

		@Bean
		AsyncJob asyncJob(Work work) {
			return new AsyncJob(work);
		}

		@Bean
		@ConditionalOnProperty(name = "job", havingValue = "scheduled")
		ScheduledJob scheduledJob(Work work) {
			return new ScheduledJob(work);
		}

		@Bean
		@ConditionalOnProperty(name = "job", havingValue = "web")
		Controller controller(Work work) {
			return new Controller(work);
		}

		@Bean
		@ConditionalOnProperty(name = "job", havingValue = "simple")
		SimpleAsyncTaskExecutor taskExecutor() {
			return new SimpleAsyncTaskExecutor();
		}

	}

}
