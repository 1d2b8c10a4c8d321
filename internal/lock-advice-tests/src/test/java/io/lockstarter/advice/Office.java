package io.lockstarter.advice;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lockstarter.aop.AdviceOrderWarnings;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.CapturedLog;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A running application with a {@link Desk}.
 */
final class Office implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final List<String> PROPERTIES = List.of("distributed-lock.backend=in-memory",
			"management.observations.annotations.enabled=true", "resilience4j.retry.instances.desk.max-attempts=3",
			"resilience4j.retry.instances.desk.wait-duration=1ms",
			"resilience4j.ratelimiter.instances.desk.limit-for-period=1",
			"resilience4j.ratelimiter.instances.desk.limit-refresh-period=1h",
			"resilience4j.ratelimiter.instances.desk.timeout-duration=0",
			"resilience4j.bulkhead.instances.desk.max-concurrent-calls=1",
			"resilience4j.timelimiter.instances.desk.timeout-duration=50ms");

	private final ConfigurableApplicationContext context;

	private final List<String> warnings;

	/**
	 * Start one.
	 * @param order the configuration that says in which order the advice is
	 * @param properties properties that say it
	 */
	Office(Class<?> order, String... properties) {
		SpringApplication application = new SpringApplication(Libraries.class, order);
		application.setWebApplicationType(WebApplicationType.NONE);
		// Not before the application has set up its logging, which forgets what was
		// there.
		AtomicReference<CapturedLog> log = new AtomicReference<>();
		application.addInitializers((context) -> log.set(CapturedLog.of(AdviceOrderWarnings.class)));
		this.context = application.run(Stream.concat(PROPERTIES.stream(), Stream.of(properties))
			.map((property) -> "--" + property)
			.toArray(String[]::new));
		try (CapturedLog captured = log.get()) {
			this.warnings = captured.lines();
		}
	}

	/** What the start has warned of about the order of advice. */
	List<String> warnings() {
		return this.warnings;
	}

	Desk desk() {
		return bean(Desk.class);
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/** Call while somebody else holds the lock, and return what that throws. */
	Optional<Exception> whileBusy(String lock, Call call) {
		try (LockHandle busy = bean(LockRegistry.class)
			.acquire(LockRequest.of(lock).owner(LockOwner.create("somebody else")))) {
			assertThat(busy.isValid()).isTrue();
			call.run();
			return Optional.empty();
		}
		catch (Exception ex) {
			return Optional.of(ex);
		}
	}

	/**
	 * Return whether a call whose lock is free is refused while another one waits for a
	 * busy lock.
	 */
	boolean refusesWhileAnotherWaits(String name, Consumer<String> call, Class<? extends Exception> refusal) {
		CompletableFuture<Void> another = new CompletableFuture<>();
		Optional<Exception> thrown = whileBusy(name + ":busy", () -> {
			another.completeAsync(() -> {
				call.accept("busy");
				return null;
			}, (task) -> new Thread(task).start());
			await().until(() -> requests(name) == 1);
			call.accept("free");
		});
		assertThat(another).succeedsWithin(PATIENCE);
		thrown.ifPresent((ex) -> assertThat(ex).isInstanceOf(refusal));
		return thrown.isPresent();
	}

	/** How often the lock of a name was asked for by annotated methods. */
	long requests(String name) {
		return bean(Libraries.Requests.class).of(name);
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * A call that may throw.
	 */
	interface Call {

		void run() throws Exception;

	}

}
