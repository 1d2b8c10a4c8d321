package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.actuate.LocksDescriptor;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.actuate.LockScope;
import io.lockstarter.actuate.RegistriesDescriptor;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.aop.InvalidLockAnnotationException;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.NamedLock;
import io.lockstarter.reactor.ReactorLocks;
import io.lockstarter.testing.CapturedLog;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.mock.env.MockEnvironment;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

/**
 * Tests for more than one registry.
 */
class LockRegistriesTests {

	private static final String BILLING = "distributed-lock.registries.billing.";

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final SecurityContext NOBODY = SecurityContext.NONE;

	private final ApplicationContextRunner one = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class,
				LockObservationAutoConfiguration.class, LockActuateAutoConfiguration.class,
				MetricsAutoConfiguration.class))
		.withBean(SimpleMeterRegistry.class)
		.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock.instance=shop-1",
				"distributed-lock.endpoint.force-release=true", "distributed-lock.shutdown.drain-timeout=0",
				"management.endpoints.web.exposure.include=locks");

	private final ApplicationContextRunner two = this.one.withPropertyValues(BILLING + "key-prefix=billing:",
			BILLING + "wait-time=0", BILLING + "lease-time=5s");

	@Test
	void injectsTheDefaultOneWhereNoneIsNamed() {
		this.two.withBean(Injected.class).run((context) -> {
			Injected injected = context.getBean(Injected.class);
			assertThat(injected.registry).isSameAs(context.getBean("distributedLockRegistry"))
				.isSameAs(context.getBean(LockRegistry.class));
			assertThat(injected.monitor).isSameAs(injected.registry);
			assertThat(injected.billing).isSameAs(context.getBean("billingLockRegistry"))
				.isNotSameAs(injected.registry);
		});
	}

	@Test
	void keepsTheirLocksApart() {
		this.two.run((context) -> {
			try (LockHandle one = registry(context).acquire(tryOnce("order"));
					LockHandle other = billing(context).acquire(tryOnce("order").owner(LockOwner.create("other")))) {
				assertThat(one.registry()).isEqualTo("default");
				assertThat(other.registry()).isEqualTo("billing");
				assertThat(other)
					.hasToString("lock 'order' of registry 'billing' held by %s, token ".formatted(other.owner())
							+ other.fencingToken());
			}
		});
	}

	@Test
	void choosesByRequest() {
		this.two.run((context) -> {
			LockRequest request = tryOnce("order").registry("billing");
			for (LockRegistry asked : List.of(registry(context), billing(context))) {
				try (LockHandle lock = asked.acquire(request)) {
					assertThat(lock.registry()).isEqualTo("billing");
				}
				asked.acquireAsync(request).thenAccept((lock) -> {
					assertThat(lock.registry()).isEqualTo("billing");
					lock.releaseAsync();
				}).join();
				try (LockHandle lock = asked.acquireAll(List.of(request, tryOnce("b").registry("billing")))) {
					assertThat(lock.parts()).extracting(LockHandle::registry).containsExactly("billing", "billing");
				}
				try (LockHandle lock = asked.acquireAllAsync(List.of(request)).join()) {
					assertThat(lock.registry()).isEqualTo("billing");
				}
				asked.get(request).lock();
				assertThat(billing(context).get("order").isHeldByCurrentOwner()).isTrue();
				assertThat(registry(context).get("order").isHeldByCurrentOwner()).isFalse();
				billing(context).get("order").unlock();
			}
			try (LockHandle lock = billing(context).acquire(tryOnce("order").registry("default"))) {
				assertThat(lock.registry()).isEqualTo("default");
			}
		});
	}

	@Test
	void pipelineTakesAgainWhatItHoldsInTheSameRegistry() {
		this.two.run((context) -> {
			ReactorLocks here = new ReactorLocks(registry(context));
			ReactorLocks there = new ReactorLocks(billing(context));
			LockRequest order = tryOnce("order");
			Mono<LockOwner> owner = ReactorLocks.current().map(LockHandle::owner);
			Flux<LockOwner> again = Flux.concat(here.withLock(order, owner), there.withLock(order, owner),
					here.withLock(order.registry("billing"), owner), there.withLock(order.registry("default"), owner));
			List<LockOwner> owners = here
				.withLock(order, Flux.concat(owner, there.withLock(order, Flux.concat(owner, again))))
				.collectList()
				.block(Duration.ofSeconds(20));
			assertThat(owners).hasSize(6);
			LockOwner first = owners.get(0);
			LockOwner second = owners.get(1);
			assertThat(first).isNotEqualTo(second);
			assertThat(owners.subList(2, 6)).containsExactly(first, second, second, first);
		});
	}

	@Test
	void refusesRequestsForNoneOrSeveral() {
		this.two.run((context) -> {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> registry(context).acquire(tryOnce("order").registry("biling")))
				.withMessage("Lock registry 'biling' does not exist: name one of default, billing, or define it by"
						+ " distributed-lock.registries.biling.connection-factory");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> registry(context).acquireAll(List.of(tryOnce("a"), tryOnce("b").registry("billing"))))
				.withMessageContaining("billing, default");
		});
		this.one.run((context) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> registry(context).acquire(tryOnce("order").registry("billing")))
			.withMessage("Lock registry 'billing' does not exist: there is only one registry, so omit its name"));
	}

	@Test
	void choosesByAnnotation() {
		this.two.withBean(Invoices.class).withPropertyValues("registry.of.invoices=billing").run((context) -> {
			Invoices invoices = context.getBean(Invoices.class);
			assertThat(invoices.send()).isEqualTo("billing");
			assertThat(invoices.sendByPlaceholder()).isEqualTo("billing");
			assertThat(invoices.count()).isEqualTo("default");
		});
	}

	@Test
	void appliesItsOwnSettings() {
		this.two.withBean(Invoices.class).run((context) -> {
			try (LockHandle lock = billing(context)
				.acquire(tryOnce("Invoices.send").owner(LockOwner.create("somebody")))) {
				assertThat(lock.remainingLease()).isLessThan(java.time.Duration.ofSeconds(5));
				assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
					.isThrownBy(context.getBean(Invoices.class)::send)
					.withMessageMatching("Lock 'Invoices.send' of registry 'billing' was not acquired within \\d+ms .*")
					.withMessageContaining("shop-1");
			}
		});
	}

	@Test
	void namesTheRegistryWhoseLockAnInterruptedThreadWaitedFor() {
		this.two.withBean(Invoices.class).run((context) -> {
			Invoices invoices = context.getBean(Invoices.class);
			assertInterrupted(invoices::send, "Lock 'Invoices.send' of registry 'billing'");
			assertInterrupted(invoices::count, "Lock 'Invoices.count' of registry 'default'");
		});
	}

	private static void assertInterrupted(ThrowingCallable call, String lock) {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(call)
			.withMessage(lock + " was not acquired: the waiting thread was interrupted");
		assertThat(Thread.interrupted()).isTrue();
	}

	/** One owner of both would let branches of one task in together. */
	@Test
	void doesNotTakeTheLockOfOneForThatOfTheOther() {
		this.two.withBean(SameName.class).run((context) -> {
			SameName same = context.getBean(SameName.class);
			LockOwner outer = same.outer(() -> {
				LockOwner own = LockContext.current().owner();
				return same.outer(() -> {
					assertThat(LockContext.current().owner()).isEqualTo(own);
					return same.inner(() -> {
						assertThat(LockContext.current().owner()).isNotEqualTo(own);
						return CompletableFuture.completedFuture(own);
					});
				});
			}).join();
			assertThat(outer).isNotNull();
		});
	}

	@Test
	void refusesUnknownNameAtTheStart() {
		BiConsumer<ApplicationContextRunner, String> refuses = (runner, known) -> runner.withBean(Misspelt.class)
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(context.getStartupFailure()).rootCause()
					.isInstanceOf(InvalidLockAnnotationException.class)
					.hasMessage(
							"@DistributedLock on method io.lockstarter.autoconfigure.LockRegistriesTests$Misspelt.pay(): registry = \"biling\" does"
									+ " not exist; known registries: %s; name one of these, or define it by distributed-lock.registries.biling.connection-factory",
							known);
			});
		refuses.accept(this.two, "default, billing");
		refuses.accept(this.one, "only the default one, whose name is omitted");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "billing" })
	void namesTheConnectionFactoriesThereAre(String name) {
		ApplicationContextRunner redis = this.two
			.withPropertyValues("distributed-lock.backend=redis",
					name.isEmpty() ? "a=b" : BILLING + "connection-factory=" + name)
			.withBean("main", RedisConnectionFactory.class, LettuceConnectionFactory::new)
			.withBean("billingRedis", LettuceConnectionFactory.class, LettuceConnectionFactory::new,
					(definition) -> ((org.springframework.beans.factory.support.AbstractBeanDefinition) definition)
						.setDefaultCandidate(false));
		redis.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(LockSetupException.class, (failure) -> {
				assertThat(failure).hasMessageStartingWith("The lock registry 'billing' has no Redis:")
					.hasMessageContaining(name.isEmpty() ? "billing.connection-factory is not set"
							: "billing.connection-factory is 'billing', but there is no RedisConnectionFactory bean");
				assertThat(failure.action()).contains("main, billingRedis", "@Bean(defaultCandidate = false)");
			}));
		redis.withPropertyValues(BILLING + "connection-factory=billingRedis")
			.run((context) -> assertThat(context).hasNotFailed().hasBean("billingLockRegistry"));
	}

	@Test
	void namesTheRegistryOfABadProperty() {
		this.two.withPropertyValues(BILLING + "lease-time=1ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("distributed-lock.registries.billing.lease-time must be at least 100ms"));
		this.one.withPropertyValues("distributed-lock.registries.default.key-prefix=a:")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("'default' is the name of the registry"));
	}

	@Test
	void tagsAllMetersOfSeveralAndNoneOfOne() {
		this.two.run((context) -> {
			useBoth(context);
			assertThat(meters(context))
				.allSatisfy((meter) -> assertThat(meter.getId().getTag("registry")).as(meter.getId().toString())
					.isIn("default", "billing"));
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			try (LockHandle lock = billing(context).acquire(tryOnce("held").permits(2))) {
				for (String meter : List.of("distributed.lock.held", "distributed.lock.permits.held")) {
					assertThat(meters.get(meter).tag("registry", "billing").gauge().value()).isOne();
				}
				assertThat(meters.get("distributed.lock.held").tag("registry", "default").gauge().value()).isZero();
			}
			for (String registry : List.of("default", "billing")) {
				assertThat(meters.get("distributed.lock.acquire").tag("registry", registry).timers()).isNotEmpty();
				assertThat(meters.get("distributed.lock.hold").tag("registry", registry).timers()).isNotEmpty();
			}
		});
		this.one.run((context) -> {
			registry(context).acquire(tryOnce("order").permits(2)).close();
			assertThat(meters(context)).hasSizeGreaterThan(4)
				.allSatisfy((meter) -> assertThat(meter.getId().getTag("registry")).isNull());
		});
	}

	@Test
	void tagsObservations() {
		this.two.withBean(ObservationRegistry.class, ObservationRegistry::create).run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			context.getBean(ObservationRegistry.class)
				.observationConfig()
				.observationHandler(context.getBean(io.lockstarter.observation.LockObservationTimers.class));
			useBoth(context);
			for (String registry : List.of("default", "billing")) {
				assertThat(meters.get("distributed.lock.acquire").tag("registry", registry).timers()).isNotEmpty();
				assertThat(meters.get("distributed.lock.hold").tag("registry", registry).timers()).isNotEmpty();
			}
		});
	}

	@Test
	void tellsThemApartInHealth() {
		this.two.run((context) -> {
			CompositeHealthContributor health = context.getBean(CompositeHealthContributor.class);
			assertThat(health.stream().map((part) -> part.name())).containsExactlyInAnyOrder("default", "billing");
		});
		this.one.run((context) -> assertThat(context).doesNotHaveBean(CompositeHealthContributor.class)
			.hasBean("distributedLockHealthIndicator"));
	}

	@Test
	void tellsThemApartInTheEndpoint() {
		this.two.run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			billing(context).acquire(tryOnce("invoice"));
			assertThat(endpoint.locks(NOBODY, null, null, null, null, null, null))
				.isInstanceOfSatisfying(RegistriesDescriptor.class, (all) -> {
					assertThat(all.registries()).containsOnlyKeys("default", "billing");
					assertThat(all.registries().get("default").held()).isEmpty();
					assertThat(all.registries().get("billing").held()).singleElement()
						.extracting(LocksDescriptor.HeldLockDescriptor::name)
						.isEqualTo("invoice");
				});
			assertThat(endpoint.lock(NOBODY, new String[] { "invoice" }, null, null))
				.isInstanceOf(RegistriesDescriptor.class);
			assertThat(endpoint.lock(NOBODY, new String[] { "invoice" }, null, "billing"))
				.isInstanceOf(LocksDescriptor.class);
			assertThat(endpoint.lock(NOBODY, new String[] { "invoice" }, null, "default")).isNull();
			assertThat(endpoint.lock(NOBODY, new String[] { "other" }, null, null)).isNull();
			assertThat(endpoint.lock(NOBODY, new String[] { "invoice" }, LockScope.CLUSTER, "billing")).isNotNull();
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.locks(NOBODY, null, LockScope.CLUSTER, null, null, null, null))
				.extracting(InvalidEndpointRequestException::getReason)
				.isEqualTo("The parameter 'registry' must be one of default, billing");
		});
		this.one.run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			assertThat(endpoint.locks(NOBODY, null, null, null, null, null, null)).isInstanceOf(LocksDescriptor.class);
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.locks(NOBODY, null, null, null, null, null, "billing"));
		});
	}

	@Test
	void takesAwayTheLockOfTheNamedOneOnly() {
		this.two.run((context) -> {
			ForceReleaseOperation operation = context.getBean(ForceReleaseOperation.class);
			registry(context).acquire(tryOnce("order"));
			billing(context).acquire(tryOnce("order"));
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> operation.release(NOBODY, "order", null));
			operation.release(NOBODY, "order", "billing");
			assertThat(((LockMonitor) billing(context)).heldCount()).isZero();
			assertThat(((LockMonitor) registry(context)).heldCount()).isOne();
		});
	}

	@Test
	void tellsListeners() {
		List<String> heard = new ArrayList<>();
		LockListener listener = new LockListener() {

			@Override
			public void acquired(LockHandle lock, java.time.Duration waited) {
				heard.add(lock.registry());
			}

			@Override
			public void notAcquired(LockRequest request, Outcome outcome, java.time.Duration waited) {
				heard.add("not in " + request.registry());
			}

		};
		this.two.withBean(LockListener.class, () -> listener).run((context) -> {
			LockRequest other = tryOnce("order").owner(LockOwner.create("other"));
			registry(context).acquire(other);
			billing(context).acquire(other);
			assertThat(billing(context).tryAcquire(tryOnce("order"))).isEmpty();
			assertThat(heard).containsExactly("default", "billing", "not in billing");
		});
	}

	@Test
	void namesTheRegistryOfWhatIsNotHeld() {
		this.two
			.run((context) -> refusesRelease(billing(context), "Lock 'order' of registry 'billing' is not held by"));
		this.two
			.run((context) -> refusesRelease(registry(context), "Lock 'order' of registry 'default' is not held by"));
		this.one.run((context) -> refusesRelease(registry(context), "Lock 'order' is not held by"));
	}

	private static void refusesRelease(LockRegistry registry, String text) throws InterruptedException {
		LockHandle released = registry.acquire(tryOnce("order"));
		released.close();
		LockHandle other = registry.acquireAsync(tryOnce("order").owner(LockOwner.create("job"))).join();
		other.close();
		NamedLock lock = registry.get("order");
		for (ThrowingCallable use : List.<ThrowingCallable>of(released::close, other::close,
				() -> released.extend(Duration.ofSeconds(1)), lock::unlock, lock::fencingToken,
				() -> lock.extend(Duration.ofSeconds(1)))) {
			assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(use).withMessageStartingWith(text);
		}
	}

	@Test
	void namesTheRegistryOfRefusedUpgrade() {
		this.two.run((context) -> refusesUpgrade(billing(context), "Lock '%s' of registry 'billing' is held "));
		this.two.run((context) -> refusesUpgrade(registry(context), "Lock '%s' of registry 'default' is held "));
		this.one.run((context) -> refusesUpgrade(registry(context), "Lock '%s' is held "));
	}

	private static void refusesUpgrade(LockRegistry registry, String text) throws InterruptedException {
		LockOwner owner = LockOwner.create("job");
		try (LockHandle read = registry.acquire(tryOnce("order").type(LockType.READ).owner(owner));
				LockHandle permit = registry.acquire(tryOnce("slots").permits(2).owner(owner))) {
			for (LockHandle held : List.of(read, permit)) {
				LockRequest alone = tryOnce(held.name()).type(LockType.WRITE).owner(owner);
				assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> registry.acquire(alone))
					.withMessageStartingWith(text, held.name());
				assertThat(registry.acquireAsync(alone)).failsWithin(SOON)
					.withThrowableThat()
					.havingCause()
					.isInstanceOf(LockUpgradeException.class)
					.withMessageStartingWith(text, held.name());
			}
		}
	}

	@Test
	void endsAllOnShutdown() {
		List<LockRegistry> registries = new ArrayList<>();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		this.two.run((context) -> {
			for (LockRegistry registry : List.of(registry(context), billing(context))) {
				registries.add(registry);
				registry.acquireAsync(tryOnce("order")).join();
				waiting.add(registry.acquireAsync(LockRequest.of("order").waitTime(LockRequest.FOREVER)));
			}
		});
		assertThat(waiting.get(0)).satisfies(closed("Lock 'order' of registry 'default' was not acquired: "));
		assertThat(waiting.get(1)).satisfies(closed("Lock 'order' of registry 'billing' was not acquired: "));
		for (LockRegistry registry : registries) {
			String late = "Lock 'late' of registry '%s' was not acquired: ".formatted(registry.registry());
			assertThatExceptionOfType(LockRegistryClosedException.class)
				.isThrownBy(() -> registry.acquire(tryOnce("late")))
				.withMessageStartingWith(late);
			assertThat(registry.acquireAsync(tryOnce("late"))).satisfies(closed(late));
		}
	}

	private static ThrowingConsumer<CompletableFuture<LockHandle>> closed(String text) {
		return (request) -> assertThat(request).failsWithin(SOON)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockRegistryClosedException.class)
			.withMessageStartingWith(text);
	}

	@Test
	void waitsForHoldersOfAllOnShutdown() {
		try (CapturedLog log = CapturedLog.of(LockLifecycle.class)) {
			this.two.withPropertyValues("distributed-lock.shutdown.drain-timeout=100ms")
				.run((context) -> billing(context).acquire(tryOnce("order").owner(LockOwner.create("job"))));
			assertThat(log.lines()).singleElement()
				.asString()
				.startsWith("1 locks of registry 'billing' are still held");
		}
	}

	@Test
	void isNotThereWithoutRegistriesOfTheStarter() {
		this.two.withBean("own", LockRegistry.class, () -> mock(LockRegistry.class))
			.withBean(Misspelt.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("only the default one, whose name is omitted"));
	}

	@Test
	void warnsOfUnknownPropertyOfOne() {
		MockEnvironment environment = new MockEnvironment().withProperty(BILLING + "lease-tme", "1s")
			.withProperty(BILLING + "lease-time", "1s")
			.withProperty(BILLING + "replication.min-replicas", "1");
		assertThat(UnknownProperties.in(environment)).singleElement()
			.returns(BILLING + "lease-tme", UnknownProperties.Unknown::name)
			.returns(BILLING + "lease-time", UnknownProperties.Unknown::nearest);
	}

	private static void useBoth(ApplicationContext context) throws InterruptedException {
		LockRequest request = tryOnce("order").permits(2);
		registry(context).acquire(request).close();
		billing(context).acquire(request).close();
	}

	private static List<Meter> meters(ApplicationContext context) {
		return context.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.filter((meter) -> meter.getId().getName().startsWith("distributed.lock."))
			.toList();
	}

	private static LockRequest tryOnce(String name) {
		return LockRequest.of(name).waitTime(ZERO);
	}

	private static LockRegistry registry(ApplicationContext context) {
		return context.getBean("distributedLockRegistry", LockRegistry.class);
	}

	private static LockRegistry billing(ApplicationContext context) {
		return context.getBean("billingLockRegistry", LockRegistry.class);
	}

	static class Injected {

		@Autowired
		LockRegistry registry;

		@Autowired
		LockMonitor monitor;

		@Autowired
		@Qualifier("billing")
		LockRegistry billing;

	}

	static class Invoices {

		@DistributedLock(registry = "billing")
		String send() {
			return LockContext.current().registry();
		}

		@DistributedLock(registry = "${registry.of.invoices:billing}")
		String sendByPlaceholder() {
			return LockContext.current().registry();
		}

		@DistributedLock
		String count() {
			return LockContext.current().registry();
		}

	}

	static class SameName {

		@DistributedLock(name = "same")
		CompletableFuture<LockOwner> outer(Supplier<CompletableFuture<LockOwner>> work) {
			return work.get();
		}

		@DistributedLock(name = "same", registry = "billing")
		CompletableFuture<LockOwner> inner(Supplier<CompletableFuture<LockOwner>> work) {
			return work.get();
		}

	}

	static class Misspelt {

		@DistributedLock(registry = "biling")
		void pay() {
		}

	}

}
