package io.lockstarter.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.observation.PropagatedContext;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what the threads of the registry know of the threads that call it.
 */
class CallerContextTests {

	private static final String KEY = CallerContextTests.class.getName();

	private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();

	private static final ThreadLocal<String> KNOWN = new ThreadLocal<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class,
				LockObservationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.backend=in-memory")
		.withUserConfiguration(Beans.class);

	@BeforeEach
	void register() {
		ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, KNOWN);
	}

	@AfterEach
	void remove() {
		ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
		INHERITABLE.remove();
		KNOWN.remove();
	}

	@Test
	void stageMethodDoesNotSeeWhatAnotherCallerHas() {
		this.runner.run((context) -> {
			assertThat(callWhileHeld(context, "first").inherited()).isNull();
			assertThat(callWhileHeld(context, "second").inherited()).isNull();
		});
	}

	@Test
	void stageMethodSeesWhatItsCallerHas() {
		this.runner.run((context) -> {
			assertThat(callWhileHeld(context, "first").known()).isEqualTo("first");
			assertThat(callWhileHeld(context, "second").known()).isEqualTo("second");
		});
	}

	@Test
	void publisherMethodSeesWhatItsSubscriberHas() {
		this.runner.run((context) -> {
			assertThat(callWhileHeld(context, "first", Service::publisher).known()).isEqualTo("first");
			Seen second = callWhileHeld(context, "second", Service::publisher);
			assertThat(second.known()).isEqualTo("second");
			assertThat(second.inherited()).isNull();
		});
	}

	@Test
	void callbacksSeeWhatTheirCallerHas() {
		this.runner.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			Seen acquired = callWhileHeld(context, "caller", (service) -> {
				CompletableFuture<LockHandle> promise = registry.acquireAsync(LockRequest.of("Service.run"));
				return promise.thenApply((lock) -> {
					lock.releaseAsync();
					return Seen.here();
				});
			});
			assertThat(acquired.known()).isEqualTo("caller");
			Seen begun = callWhileHeld(context, "other", (service) -> registry
				.executeAsync(LockRequest.of("Service.run"), () -> CompletableFuture.completedFuture(Seen.here())));
			assertThat(begun.known()).isEqualTo("other");
		});
	}

	@Test
	void callbackDoesNotLeaveAnythingBehind() {
		this.runner.run((context) -> {
			callWhileHeld(context, "first");
			KNOWN.remove();
			assertThat(callWhileHeld(context, null).known()).isNull();
		});
	}

	@Test
	void stageMethodFindsClassesOfTheApplication() {
		this.runner.run((context) -> assertThat(callWhileHeld(context, "caller").loader())
			.isSameAs(context.getBean("contextLoader")));
	}

	@Test
	void nothingGoesAlongWithoutContextPropagation() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LockAutoConfiguration.class, LockObservationAutoConfiguration.class))
			.withPropertyValues("distributed-lock.backend=in-memory")
			.withClassLoader(new FilteredClassLoader(ContextSnapshotFactory.class))
			.run((context) -> {
				assertThat(context).hasSingleBean(LockRegistry.class).doesNotHaveBean(CallerContext.class);
				LockRegistry registry = context.getBean(LockRegistry.class);
				CompletableFuture<Seen> seen;
				try (LockHandle held = registry.acquire(LockRequest.of("lock"))) {
					seen = call("caller", () -> registry.acquireAsync(LockRequest.of("lock")).thenApply((lock) -> {
						lock.releaseAsync();
						return Seen.here();
					}));
				}
				assertThat(seen.join().known()).isNull();
				assertThat(seen.join().inherited()).isNull();
			});
	}

	@Test
	void usesContextOfTheApplicationsOwn() {
		this.runner.withBean(CallerContext.class, () -> CallerContext.NONE).run((context) -> {
			assertThat(context).doesNotHaveBean(PropagatedContext.class);
			assertThat(callWhileHeld(context, "caller").known()).isNull();
		});
	}

	private static Seen callWhileHeld(ApplicationContext context, String value) throws Exception {
		return callWhileHeld(context, value, Service::stage);
	}

	/**
	 * The lock is held meanwhile, so that the method runs on a thread of the registry.
	 * The thread that releases it may be the one that makes that thread.
	 */
	private static Seen callWhileHeld(ApplicationContext context, String value, Call call) throws Exception {
		Service service = context.getBean(Service.class);
		CompletableFuture<Seen> seen;
		INHERITABLE.set("holder");
		try (LockHandle held = context.getBean(LockRegistry.class).acquire(LockRequest.of("Service.run"))) {
			seen = call(value, () -> call.on(service));
		}
		await().until(seen::isDone);
		return seen.join();
	}

	private static CompletableFuture<Seen> call(String value, java.util.function.Supplier<CompletableFuture<Seen>> call)
			throws InterruptedException {
		AtomicReference<CompletableFuture<Seen>> result = new AtomicReference<>();
		Thread caller = new Thread(() -> {
			INHERITABLE.set(value);
			if (value != null) {
				KNOWN.set(value);
			}
			result.set(call.get());
		});
		caller.start();
		caller.join();
		return result.get();
	}

	private interface Call {

		CompletableFuture<Seen> on(Service service);

	}

	record Seen(String inherited, String known, ClassLoader loader) {

		static Seen here() {
			assertThat(Thread.currentThread().getName()).startsWith("lock-callback");
			return new Seen(INHERITABLE.get(), KNOWN.get(), Thread.currentThread().getContextClassLoader());
		}

	}

	static class Service {

		@DistributedLock(name = "Service.run")
		CompletableFuture<Seen> stage() {
			return CompletableFuture.completedFuture(Seen.here());
		}

		@DistributedLock(name = "Service.run")
		Mono<Seen> mono() {
			return Mono.just(Seen.here());
		}

		static CompletableFuture<Seen> publisher(Service service) {
			return service.mono().toFuture();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Beans {

		@Bean
		Service service() {
			return new Service();
		}

		@Bean
		ClassLoader contextLoader() {
			return Thread.currentThread().getContextClassLoader();
		}

	}

}
