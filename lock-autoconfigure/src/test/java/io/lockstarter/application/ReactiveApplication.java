package io.lockstarter.application;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.reactor.ReactorLocks;
import io.lockstarter.testing.ChildJvm;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Two instances of an application in a JVM of its own, which BlockHound watches: it
 * prints each call that blocks a thread of Reactor or an event loop. The very first lock
 * is taken from such a thread.
 */
final class ReactiveApplication {

	/** What blocks on purpose. */
	static final String BLOCKING = "blockOnPurpose";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int CALLS = 6;

	private final ConfigurableApplicationContext one;

	private final ConfigurableApplicationContext other;

	private final Map<String, Supplier<Mono<?>>> works = new LinkedHashMap<>();

	private ReactiveApplication(ConfigurableApplicationContext one, ConfigurableApplicationContext other) {
		this.one = one;
		this.other = other;
	}

	/**
	 * Start the instances.
	 * @param args their properties
	 */
	public static void main(String[] args) {
		ChildJvm.exitWithParent();
		BlockHound.install((builder) -> builder.blockingMethodCallback(ReactiveApplication::tell)
			// Netty's own, for the few instructions in which it makes room for threads
			.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator$MagazineGroup", "allocate"));
		String[] properties = Stream.of(args).map((arg) -> "--" + arg).toArray(String[]::new);
		try (ConfigurableApplicationContext one = start(properties);
				ConfigurableApplicationContext other = start(properties)) {
			ReactiveApplication application = new ReactiveApplication(one, other);
			application.add(!String.join(" ", args).contains("quorum"));
			application.works.forEach(ReactiveApplication::run);
		}
		System.out.println("done");
		System.exit(0);
	}

	private static ConfigurableApplicationContext start(String[] properties) {
		return new SpringApplicationBuilder(Application.class, Service.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "distributed-lock.wait-time=20s")
			.run(properties);
	}

	private static void tell(BlockingMethod method) {
		List<StackWalker.StackFrame> stack = StackWalker.getInstance()
			.walk((frames) -> frames.skip(3).limit(60).toList());
		if (!waitsForOtherWriters(stack)) {
			System.out.println("blocked: %s on %s: %s".formatted(method, Thread.currentThread().getName(), stack));
		}
	}

	/**
	 * Returns whether Lettuce waits for the few instructions in which another thread
	 * registers as a writer of the same connection. Any use of Lettuce may wait there.
	 */
	private static boolean waitsForOtherWriters(List<StackWalker.StackFrame> stack) {
		return stack.stream()
			.map(StackWalker.StackFrame::getClassName)
			.filter((name) -> !name.startsWith("java.") && !name.startsWith("jdk."))
			.findFirst()
			.filter("io.lettuce.core.protocol.SharedLock"::equals)
			.isPresent();
	}

	private static void run(String name, Supplier<Mono<?>> work) {
		try {
			Object result = Mono.defer(work).subscribeOn(Schedulers.parallel()).block(PATIENCE);
			System.out.println(name + ": " + result);
		}
		catch (RuntimeException ex) {
			System.out.println("failed: " + name + ": " + ex);
		}
	}

	private void add(boolean oneServer) {
		addMethods(oneServer);
		for (LockType type : LockType.values()) {
			if (oneServer || type != LockType.FAIR) {
				addCode(type.name(), LockRequest.of("code " + type).type(type));
			}
		}
		if (oneServer) {
			addCode("permits", LockRequest.of("code with permits").permits(2));
		}
		this.works.put("several at once", this::several);
		this.works.put("cancelled", this::cancelled);
		this.works.put("executed", this::executed);
		this.works.put("inspected", () -> Mono.fromFuture(() -> monitor().locks("", 100)).thenReturn("ok"));
		this.works.put("health", () -> Mono.fromFuture(() -> monitor().health()).thenReturn("ok"));
		this.works.put("blocking", () -> Mono.fromCallable(ReactiveApplication::blockOnPurpose));
	}

	private void addMethods(boolean oneServer) {
		this.works.put("method", () -> inTurns(Service::reentrant));
		if (oneServer) {
			this.works.put("fair method", () -> inTurns(Service::fair));
			this.works.put("method with permits", () -> inTurns(Service::permits));
		}
		this.works.put("reading method", () -> inTurns(Service::read));
		this.works.put("writing method", () -> inTurns(Service::write));
		this.works.put("method of several keys", () -> inTurns(Service::several));
		this.works.put("method with a stage", () -> inTurns((service) -> Mono.fromFuture(service.stage())));
		this.works.put("method with a flux", () -> inTurns((service) -> service.flux().last()));
		LockRequest busy = LockRequest.of("busy");
		this.works.put("fallback", () -> under(busy, otherService().fallback()));
		this.works.put("skipped", () -> under(busy, otherService().skipped().defaultIfEmpty("skipped")));
		this.works.put("timed out", () -> under(busy,
				otherService().impatient().onErrorReturn(LockAcquisitionTimeoutException.class, "timed out")));
	}

	private void addCode(String what, LockRequest request) {
		this.works.put("pipeline: " + what, () -> inTurns((locks, pipelines) -> pipelines.withLock(request, work())));
		this.works.put("tried pipeline: " + what, () -> inTurns((locks, pipelines) -> pipelines
			.tryWithLock(request.waitTime(Duration.ZERO), work(), Mono.just("busy"))));
		this.works.put("handle: " + what,
				() -> inTurns((locks, pipelines) -> Mono.fromFuture(() -> locks.acquireAsync(request))
					.flatMap((lock) -> Mono.fromCompletionStage(lock::releaseAsync).thenReturn("ok"))));
	}

	private Mono<String> several() {
		return inTurns((locks, pipelines) -> Mono
			.fromFuture(() -> locks.acquireAllAsync(List.of(LockRequest.of("a"), LockRequest.of("b"))))
			.flatMap((lock) -> Mono.fromCompletionStage(lock::releaseAsync).thenReturn("ok")));
	}

	private Mono<String> cancelled() {
		return under(LockRequest.of("cancelled"), Mono.defer(() -> {
			CompletableFuture<LockHandle> waiting = this.other.getBean(LockRegistry.class)
				.acquireAsync(LockRequest.of("cancelled"));
			return Mono.delay(Duration.ofMillis(50)).map((tick) -> waiting.cancel(true) ? "ok" : "not cancelled");
		}));
	}

	private Mono<String> executed() {
		return inTurns((locks, pipelines) -> Mono
			.fromFuture(() -> locks.executeAsync(LockRequest.of("executed"), () -> work().toFuture())));
	}

	/** Wait for something, as no such thread may. */
	private static String blockOnPurpose() throws Exception {
		return new CompletableFuture<String>().completeOnTimeout("ok", 20, TimeUnit.MILLISECONDS).get();
	}

	private static Mono<String> work() {
		return Mono.delay(Duration.ofMillis(5)).thenReturn("ok");
	}

	private LockMonitor monitor() {
		return this.one.getBean(LockMonitor.class);
	}

	private Service otherService() {
		return this.other.getBean(Service.class);
	}

	private Mono<String> under(LockRequest request, Mono<String> work) {
		return new ReactorLocks(this.one.getBean(LockRegistry.class)).withLock(request, work);
	}

	private Mono<String> inTurns(Function<Service, Mono<String>> call) {
		return calls((context) -> call.apply(context.getBean(Service.class)));
	}

	private Mono<String> inTurns(BiFunction<LockRegistry, ReactorLocks, Mono<String>> call) {
		return calls((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			return call.apply(locks, new ReactorLocks(locks));
		});
	}

	/** Both instances call it at the same time, on several threads. */
	private Mono<String> calls(Function<ConfigurableApplicationContext, Mono<String>> call) {
		return Flux.range(0, CALLS)
			.flatMap((i) -> Mono.defer(() -> call.apply((i % 2 == 0) ? this.one : this.other))
				.subscribeOn(Schedulers.parallel()))
			.collectList()
			.map(List::toString);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Application {

	}

	static class Service {

		@DistributedLock(name = "reentrant")
		public Mono<String> reentrant() {
			return work();
		}

		@DistributedLock(name = "fair", type = LockType.FAIR)
		public Mono<String> fair() {
			return work();
		}

		@DistributedLock(name = "permits", permits = "2")
		public Mono<String> permits() {
			return work();
		}

		@DistributedLock(name = "read-write", type = LockType.READ)
		public Mono<String> read() {
			return work();
		}

		@DistributedLock(name = "read-write", type = LockType.WRITE)
		public Mono<String> write() {
			return work();
		}

		@DistributedLock(name = "several", key = "{'a', 'b'}")
		public Mono<String> several() {
			return work();
		}

		@DistributedLock(name = "stage")
		public CompletableFuture<String> stage() {
			return work().toFuture();
		}

		@DistributedLock(name = "flux", holdAtLeast = "20ms")
		public Flux<String> flux() {
			return Flux.just("not ok", "ok");
		}

		@DistributedLock(name = "busy", waitTime = "50ms", fallback = "otherwise")
		public Mono<String> fallback() {
			return Mono.error(new AssertionError("not reached"));
		}

		Mono<String> otherwise() {
			return Mono.just("fallback");
		}

		@DistributedLock(name = "busy", waitTime = "0", onTimeout = OnTimeout.SKIP)
		public Mono<String> skipped() {
			return Mono.error(new AssertionError("not reached"));
		}

		@DistributedLock(name = "busy", waitTime = "50ms")
		public Mono<String> impatient() {
			return Mono.error(new AssertionError("not reached"));
		}

	}

}
