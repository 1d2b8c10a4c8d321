package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.resource.ClientResources;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.aop.InvalidLockAnnotationException;
import io.lockstarter.aop.AdviceOrderWarnings;
import io.lockstarter.aop.LockAdvisor;
import io.lockstarter.aop.SelfInvocationWarnings;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.RedisServer;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.implementation.StubMethod;
import org.aopalliance.aop.Advice;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockAutoConfiguration}.
 */
class LockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	private final ApplicationContextRunner inMemory = this.runner
		.withPropertyValues("distributed-lock.backend=in-memory");

	private final ApplicationContextRunner redis = this.runner
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

	@Test
	void isFoundByBoot() {
		assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()).getCandidates())
			.filteredOn((name) -> name.startsWith("io.lockstarter."))
			.containsExactlyInAnyOrder(LockAutoConfiguration.class.getName(),
					LockObservationAutoConfiguration.class.getName(), LockActuateAutoConfiguration.class.getName(),
					LockAdapterAutoConfiguration.class.getName(), LockWeavingAutoConfiguration.class.getName());
	}

	@Test
	void keepsLocksInRedisByDefault() {
		this.redis.run((context) -> {
			assertThat(context).hasSingleBean(RedisLockBackend.class);
			assertThat(context).doesNotHaveBean(InMemoryLockBackend.class);
			assertThat(context).hasSingleBean(LockRegistry.class);
			assertThat(context).hasSingleBean(LockMonitor.class);
		});
	}

	@Test
	void keepsLocksInARedisOfTheirOwn() {
		try (RedisServer redis = RedisServer.start()) {
			ApplicationContextRunner unreachable = this.redis.withPropertyValues("spring.data.redis.port=1",
					"distributed-lock.wait-time=20s");
			unreachable
				.withBean("distributedLockConnectionFactory", LettuceConnectionFactory.class,
						() -> new LettuceConnectionFactory(redis.host(), redis.port()),
						(definition) -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false))
				.run((context) -> {
					assertThat(context.getBeanNamesForType(RedisConnectionFactory.class)).hasSize(2);
					assertThatLocksCanBeHad(context);
				});
			unreachable
				.withBean("distributedLockConnectionFactory", LettuceConnectionFactory.class,
						() -> new LettuceConnectionFactory(redis.host(), redis.port()),
						(definition) -> definition.setAutowireCandidate(false))
				.run(LockAutoConfigurationTests::assertThatLocksCanBeHad);
			this.redis
				.withBean("another", LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("localhost", 1))
				.withBean("distributedLockConnectionFactory", LettuceConnectionFactory.class,
						() -> new LettuceConnectionFactory(redis.host(), redis.port()))
				.run(LockAutoConfigurationTests::assertThatLocksCanBeHad);
		}
	}

	@Test
	void namesTheConnectionFactoriesIfNoneIsPrimary() {
		this.redis.withBean("one", LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("localhost", 1))
			.withBean("other", LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("localhost", 2))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("several RedisConnectionFactory beans, and none is primary: ")
				.hasMessageContaining("one")
				.extracting((failure) -> ((LockSetupException) failure).action())
				.asString()
				.contains("the name or the @Qualifier distributedLockConnectionFactory, or make it @Primary"));
	}

	@Test
	void pointsToTheBackendForTestsIfAConnectionFactoryIsMocked() {
		this.runner.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
			.run((context) -> assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).acquire(LockRequest.of("a")))
				.withMessageContaining("is a mock in a test")
				.withMessageContaining("distributed-lock.backend=in-memory"));
	}

	private static void assertThatLocksCanBeHad(ApplicationContext context) throws InterruptedException {
		try (LockHandle lock = context.getBean(LockRegistry.class).acquire(LockRequest.of("a"))) {
			assertThat(lock.isValid()).isTrue();
		}
		Object survey = ReflectionTestUtils.getField(context.getBean(LockStartupReport.class), "survey");
		assertThat(((Supplier<?>) survey).get()).asString().contains("Redis ");
	}

	@Test
	void keepsLocksInMemoryWhenChosen() {
		this.inMemory.run((context) -> {
			assertThat(context).hasSingleBean(InMemoryLockBackend.class);
			assertThat(context).doesNotHaveBean(RedisLockBackend.class);
			try (LockHandle lock = context.getBean(LockRegistry.class).acquire(LockRequest.of("a"))) {
				assertThat(lock.isValid()).isTrue();
			}
		});
	}

	@Test
	void choosesBackendInTheSpellingOfEnvironmentVariables() {
		this.runner.withPropertyValues("distributed-lock.backend=IN_MEMORY")
			.run((context) -> assertThat(context).hasSingleBean(InMemoryLockBackend.class));
	}

	@Test
	void keepsLocksInMemoryWithoutRedisOnTheClassPath() {
		this.inMemory.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.run((context) -> assertThat(context).hasSingleBean(InMemoryLockBackend.class));
	}

	@Test
	void sharesStoreThatUserDefines() {
		InMemoryLockStore store = new InMemoryLockStore();
		ApplicationContextRunner sharing = this.inMemory.withBean(InMemoryLockStore.class, () -> store);
		sharing.run((first) -> sharing.run((second) -> {
			try (LockHandle lock = first.getBean(LockRegistry.class).acquire(LockRequest.of("a"))) {
				assertThat(second.getBean(LockRegistry.class).tryAcquire(LockRequest.of("a").waitTime(Duration.ZERO)))
					.isEmpty();
			}
		}));
	}

	@Test
	void configuresNothingWhenDisabled() {
		this.redis.withPropertyValues("distributed-lock.enabled=false").run((context) -> {
			assertThat(context).doesNotHaveBean(LockRegistry.class);
			assertThat(context).doesNotHaveBean(LockBackend.class);
			assertThat(context).doesNotHaveBean(LockAdvisor.class);
		});
	}

	@Test
	void backsOffFromBackendOfUser() {
		LockBackend backend = new InMemoryLockBackend(new InMemoryLockStore());
		this.redis.withBean(LockBackend.class, () -> backend).run((context) -> {
			assertThat(context).hasSingleBean(LockBackend.class);
			assertThat(context).hasSingleBean(DefaultLockRegistry.class);
		});
	}

	@Test
	void backsOffFromRegistryOfUser() {
		this.runner.withBean(LockRegistry.class, () -> mock(LockRegistry.class)).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context).hasSingleBean(LockRegistry.class);
			assertThat(context).doesNotHaveBean(DefaultLockRegistry.class);
			assertThat(context).doesNotHaveBean(LockBackend.class);
			assertThat(context).hasSingleBean(LockAdvisor.class);
		});
	}

	@Test
	void looksForSelfInvocationUnlessToldNotTo() {
		this.redis.run((context) -> assertThat(context).hasSingleBean(SelfInvocationWarnings.class));
		this.redis.withPropertyValues("distributed-lock.warn.self-invocation=false")
			.run((context) -> assertThat(context).doesNotHaveBean(SelfInvocationWarnings.class));
	}

	@Test
	void tellsThePropertyThatDecided() {
		this.redis.withPropertyValues("distributed-lock.backend=in-memory")
			.run((context) -> assertThat(
					ConditionEvaluationReport.get(context.getBeanFactory()).getConditionAndOutcomesBySource().values())
				.flatExtracting((outcomes) -> outcomes.stream().toList())
				.extracting((outcome) -> outcome.getOutcome().getMessage())
				.contains("Distributed lock distributed-lock.backend is in-memory",
						"Distributed lock distributed-lock.aspect.enabled is not set, distributed-lock.aspect.mode is not set"));
	}

	@Test
	void looksForOrderOfAdviceUnlessToldNotTo() {
		this.redis.run((context) -> assertThat(context).hasSingleBean(AdviceOrderWarnings.class));
		this.redis.withPropertyValues("distributed-lock.warn.advice-order=false")
			.run((context) -> assertThat(context).doesNotHaveBean(AdviceOrderWarnings.class));
	}

	@Test
	void startsWhenRedisCannotBeReachedAndFailsFirstLockWithItsCause() {
		this.redis.withPropertyValues("spring.data.redis.port=1", "distributed-lock.wait-time=1s").run((context) -> {
			assertThat(context).hasNotFailed();
			LockRegistry registry = context.getBean(LockRegistry.class);
			Instant start = Instant.now();
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a")))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LockBackendException.Reason.UNREACHABLE));
			assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(5));
		});
	}

	@Test
	void passesPropertiesOn() {
		this.redis
			.withPropertyValues("spring.application.name=orders", "distributed-lock.wait-time=1s",
					"distributed-lock.lease-time=2s", "distributed-lock.max-hold-time=3s",
					"distributed-lock.on-lost=interrupt")
			.run((context) -> {
				Object settings = settings(context.getBean(DefaultLockRegistry.class));
				assertThat(settings).extracting("waitTime", "leaseTime", "maxHoldTime", "interruptOnLoss")
					.containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3), true);
				assertThat(settings).extracting("instance").asString().matches("orders-[0-9a-f]{4}");
			});
	}

	private static Object settings(DefaultLockRegistry registry) {
		return ReflectionTestUtils.getField(ReflectionTestUtils.getField(registry, "requests"), "settings");
	}

	@Test
	void namesInstanceAsConfigured() {
		this.inMemory.withPropertyValues("distributed-lock.instance=node-7")
			.run((context) -> assertThat(settings(context.getBean(DefaultLockRegistry.class))).extracting("instance")
				.isEqualTo("node-7"));
	}

	@Test
	void tellsAllListenersInOrder() {
		this.inMemory.withUserConfiguration(Listeners.class).run((context) -> {
			try (LockHandle lock = context.getBean(LockRegistry.class).acquire(LockRequest.of("a"))) {
				assertThat(context.getBean(Listeners.class).heard).containsExactly("first", "second");
			}
		});
	}

	@Test
	void publishesLossAsApplicationEvent() {
		this.inMemory.withBean(Losses.class).run((context) -> {
			LockHandle lock = context.getBean(LockRegistry.class)
				.acquire(LockRequest.of("a").leaseTime(Duration.ofMillis(100)));
			LockLoss loss = context.getBean(Losses.class).heard.poll(10, TimeUnit.SECONDS);
			assertThat(loss).isNotNull();
			assertThat(loss.name()).isEqualTo("a");
			assertThat(loss.fencingToken()).isEqualTo(lock.fencingToken());
		});
	}

	@Test
	void locksAnnotatedMethods() {
		this.inMemory.withBean(Service.class)
			.run((context) -> assertThat(context.getBean(Service.class).heldBy(context.getBean(LockMonitor.class)))
				.isEqualTo("Service.heldBy"));
	}

	@Test
	void locksAnnotatedMethodsBesideBootsAop() {
		this.inMemory.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withBean(Service.class)
			.run((context) -> assertThat(context.getBean(Service.class).heldBy(context.getBean(LockMonitor.class)))
				.isEqualTo("Service.heldBy"));
	}

	@Test
	void locksAnnotatedMethodsWhenBootsAopIsOff() {
		this.inMemory.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.auto=false")
			.withBean(Service.class)
			.run((context) -> assertThat(context.getBean(Service.class).heldBy(context.getBean(LockMonitor.class)))
				.isEqualTo("Service.heldBy"));
	}

	/** With a single registry, and each lock taken once. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void locksAnnotatedMethodsOfChildContextByItsOwnBeans(boolean aop) {
		ApplicationContextRunner either = this.inMemory
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.auto=" + aop);
		either.run((parent) -> either.withParent(parent)
			.withBean(Tenants.class)
			.withBean("tenant", String.class, () -> "north")
			.run((child) -> {
				LockMonitor monitor = parent.getBean(LockMonitor.class);
				assertThat(child.getBean(Tenants.class).bill(monitor)).isEqualTo("Tenants.bill:north, 1");
				assertThat(child.getBean(LockMonitor.class)).isSameAs(monitor);
			}));
	}

	@ParameterizedTest
	@ValueSource(classes = { LockedAspect.class, LockedAdvice.class })
	void refusesAnnotatedMethodsOfBeansThatHaveNoProxy(Class<?> type) {
		this.inMemory.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withBean(type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockAnnotationException.class)
				.hasMessageContaining(type.getName() + ".run(): Spring creates no proxies of aspects, advice"));
	}

	@ParameterizedTest
	@ValueSource(classes = { NeededEarly.class, MadeEarly.class, OtherProxyEarly.class })
	void refusesAnnotatedMethodsOfBeansThatAreMadeBeforeProxies(Class<?> configuration) {
		this.inMemory.withUserConfiguration(configuration).run((context) -> assertThatNoProxyLocks(context, "service"));
	}

	@Test
	void refusesAnnotatedMethodsOfObjectsThatAreRegistered() {
		this.inMemory
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("registered", new Service()))
			.run((context) -> assertThatNoProxyLocks(context, "registered"));
	}

	@Test
	void startsWithRegisteredObjectWhoseClassMentionsAMissingOne() throws ReflectiveOperationException {
		Object partial = new ByteBuddy().subclass(Object.class)
			.name("example.Partial")
			.defineMethod("missing",
					InstrumentedType.Default.of("example.Missing",
							TypeDescription.Generic.OfNonGenericType.ForLoadedType.of(Object.class), Visibility.PUBLIC),
					Visibility.PUBLIC)
			.intercept(StubMethod.INSTANCE)
			.make()
			.load(getClass().getClassLoader())
			.getLoaded()
			.getConstructor()
			.newInstance();
		this.inMemory.withInitializer((context) -> context.getBeanFactory().registerSingleton("partial", partial))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static void assertThatNoProxyLocks(AssertableApplicationContext context, String bean) {
		assertThat(context).getFailure()
			.isInstanceOf(InvalidLockAnnotationException.class)
			.hasMessageContaining(Service.class.getName() + ".heldBy(LockMonitor): the bean '%s' has no proxy", bean)
			.hasMessageContaining("ObjectProvider or @Lazy");
	}

	@Test
	void locksAnnotatedMethodsOfBeansThatPostProcessorsNeedLater() {
		this.inMemory.withUserConfiguration(NeededLater.class)
			.withBean("lazy", Service.class, Service::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(context.getSourceApplicationContext(ConfigurableApplicationContext.class)
					.getBeanFactory()
					.containsSingleton("lazy")).isFalse();
				assertThat(context.getBean("service", Service.class).heldBy(context.getBean(LockMonitor.class)))
					.isEqualTo("Service.heldBy");
			});
	}

	@Test
	void locksAnnotatedMethodsOfBeansThatOthersWrap() {
		this.inMemory.withBean(OfInterface.class)
			.withBean(WrappingLocked.class)
			.run((context) -> assertThat(context.getBean(Held.class).by(context.getBean(LockMonitor.class)))
				.isEqualTo("OfInterface.by"));
	}

	@Test
	void locksAnnotatedMethodsBehindOtherProxies() {
		this.inMemory.withBean("service", Service.class)
			.withBean(BeanNameAutoProxyCreator.class, LockAutoConfigurationTests::proxiesOfService)
			.run((context) -> assertThat(context.getBean(Service.class).heldBy(context.getBean(LockMonitor.class)))
				.isEqualTo("Service.heldBy"));
	}

	private static BeanNameAutoProxyCreator proxiesOfService() {
		BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
		creator.setBeanNames("service");
		creator.setProxyTargetClass(true);
		return creator;
	}

	@ParameterizedTest
	@ValueSource(classes = { NamedInit.class, NamedDestroy.class })
	void refusesAnnotatedMethodsThatBeanDefinitionsNameAsCallbacks(Class<?> configuration) {
		this.inMemory.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockAnnotationException.class)
				.hasMessageContaining("LockedTask.run(): Spring calls it on the bean itself, because of the initMethod"
						+ " or destroyMethod of its @Bean"));
	}

	@Test
	void locksAnnotatedMethodsOfAspectsThatAreBeansLikeAnyOther() {
		this.inMemory.withBean(LockedAspect.class)
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(LockedAspect.class))).isTrue());
	}

	@Test
	void locksAnnotatedMethodsOfBeansWithScope() {
		this.inMemory.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withUserConfiguration(Scoped.class)
			.run((context) -> assertThat(context.getBean(Service.class).heldBy(context.getBean(LockMonitor.class)))
				.isEqualTo("Service.heldBy"));
	}

	@Test
	void proxiesInterfacesWhenBootIsToldTo() {
		this.inMemory.withBean(LockedTask.class)
			.run((context) -> assertThat(AopUtils.isCglibProxy(context.getBean(Runnable.class))).isTrue());
		this.inMemory.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(LockedTask.class)
			.run((context) -> assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Runnable.class))).isTrue());
	}

	@Test
	void refusesFinalClassesUnlessInterfacesAreProxied() {
		ApplicationContextRunner byClass = this.inMemory.withBean(FinalTask.class);
		byClass.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidLockAnnotationException.class)
			.hasMessageContaining("FinalTask is final, and no proxy can extend it")
			.hasMessageContaining("or set spring.aop.proxy-target-class=false"));
		byClass.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Runnable.class))).isTrue());
	}

	@ParameterizedTest
	@ValueSource(classes = { ByInterfaces.class, BehindInterface.class })
	void locksFinalClassesThatAreProxiedByTheirInterfaces(Class<?> configuration) {
		this.inMemory.withUserConfiguration(configuration).run((context) -> {
			Runnable task = context.getBean(Runnable.class);
			assertThat(AopUtils.isJdkDynamicProxy(task)).isTrue();
			assertThatNoException().isThrownBy(task::run);
		});
	}

	@Test
	void leavesAnnotatedMethodsAloneWhenAspectIsDisabled() {
		this.inMemory.withPropertyValues("distributed-lock.aspect.enabled=false")
			.withBean(Service.class)
			.run((context) -> {
				assertThat(context).doesNotHaveBean(LockAdvisor.class);
				assertThat(AopUtils.isAopProxy(context.getBean(Service.class))).isFalse();
				assertThat(context).hasSingleBean(LockRegistry.class);
			});
	}

	@ParameterizedTest
	@CsvSource(ignoreLeadingAndTrailingWhitespace = false,
			value = { "enabled,yes", "enabled,on", "enabled,1", "enabled,TRUE", "enabled,true ", "aspect.enabled,yes",
					"aspect.enabled,1", "aspect.enabled, true", "aspect.mode,proxy ", "aspect.mode,Proxy",
					"aspect.mode,''" })
	void locksAnnotatedMethodsHoweverThatIsSpelled(String property, String value) {
		with(property, value).withBean(Service.class)
			.run((context) -> assertThat(context.getBean(Service.class).heldBy(context.getBean(LockMonitor.class)))
				.isEqualTo("Service.heldBy"));
	}

	@ParameterizedTest
	@CsvSource(ignoreLeadingAndTrailingWhitespace = false, value = { "enabled,no", "enabled,off", "enabled,0",
			"enabled,FALSE", "enabled,false ", "aspect.enabled,no", "aspect.enabled,0", "aspect.mode,AspectJ " })
	void leavesAnnotatedMethodsAloneHoweverThatIsSpelled(String property, String value) {
		with(property, value).withBean(Service.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockAdvisor.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "enabled", "aspect.enabled" })
	void refusesSwitchWithoutAValue(String property) {
		with(property, "").withBean(Service.class).run((context) -> assertThat(context).hasFailed());
	}

	/** The runner itself would trim the value. */
	private ApplicationContextRunner with(String property, String value) {
		return this.inMemory.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("spelled", Map.of("distributed-lock." + property, value))));
	}

	@Test
	void takesOrderOfAspectFromProperty() {
		this.inMemory.run((context) -> assertThat(context.getBean(LockAdvisor.class).getOrder())
			.isEqualTo(LockAdvisor.DEFAULT_ORDER));
		this.inMemory.withPropertyValues("distributed-lock.aspect.order=5")
			.run((context) -> assertThat(context.getBean(LockAdvisor.class).getOrder()).isEqualTo(5));
	}

	@Test
	void stopsBeforeConnectionsOfRedis() {
		this.redis.run((context) -> {
			SmartLifecycle connections = (SmartLifecycle) context.getBean(RedisConnectionFactory.class);
			assertThat(context.getBean(LockLifecycle.class).getPhase()).isGreaterThan(connections.getPhase());
		});
	}

	@Test
	void letsHolderFinishWhileContextCloses() {
		this.inMemory.withPropertyValues("distributed-lock.lease-time=300ms").run((context) -> {
			DefaultLockRegistry registry = context.getBean(DefaultLockRegistry.class);
			LockHandle lock = registry.acquire(LockRequest.of("a"));
			Thread closing = close(context.getSourceApplicationContext());
			await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
			registry.acquire(LockRequest.of("b").waitTime(Duration.ZERO)).close();
			assertThat(closing.isAlive()).isTrue();
			assertThat(lock.isValid()).isTrue();
			lock.close();
			closing.join(10_000);
			assertThat(closing.isAlive()).isFalse();
		});
	}

	@Test
	void letsHolderFinishWhereTheRegistryIsWrapped() {
		this.inMemory.withBean(Wrapping.class).run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThat(registry).isNotInstanceOf(DefaultLockRegistry.class);
			LockHandle lock = registry.acquire(LockRequest.of("a"));
			Thread closing = close(context.getSourceApplicationContext());
			await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
			assertThat(lock.isValid()).isTrue();
			lock.close();
			closing.join(10_000);
			assertThat(closing.isAlive()).isFalse();
		});
	}

	@Test
	void leavesLockToExpireWhenHolderDoesNotFinish() {
		this.inMemory.withPropertyValues("distributed-lock.shutdown.drain-timeout=50ms").run((context) -> {
			context.getBean(LockRegistry.class).acquire(LockRequest.of("a"));
			Thread closing = close(context.getSourceApplicationContext());
			closing.join(10_000);
			assertThat(closing.isAlive()).isFalse();
		});
	}

	@Test
	void grantsLocksAgainAfterContextWasStoppedAndStarted() {
		this.inMemory.run((context) -> {
			ConfigurableApplicationContext source = context.getSourceApplicationContext();
			source.stop();
			source.start();
			source.pause();
			source.restart();
			context.getBean(LockRegistry.class).acquire(LockRequest.of("a")).close();
		});
	}

	@Test
	void letsHolderFinishWhileContextClosesThatWasStoppedBefore() {
		this.inMemory.withPropertyValues("distributed-lock.lease-time=300ms").run((context) -> {
			LockHandle lock = context.getBean(LockRegistry.class).acquire(LockRequest.of("a"));
			context.getSourceApplicationContext().stop();
			Thread closing = close(context.getSourceApplicationContext());
			await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
			assertThat(lock.isValid()).isTrue();
			lock.close();
			closing.join(10_000);
			assertThat(closing.isAlive()).isFalse();
		});
	}

	/** Locks connect again sooner, by a client of their own. */
	@Test
	void leavesDelayBeforeApplicationReconnectsAlone() {
		this.redis.run((context) -> assertThat(context.getBean(ClientResources.class).reconnectDelay().createDelay(50))
			.isGreaterThan(Duration.ofSeconds(10)));
	}

	@Test
	void closesConnectionsOfLocksWhileContextIsStopped() {
		try (RedisServer redis = RedisServer.start()) {
			this.redis.withPropertyValues("spring.data.redis.port=" + redis.port()).run((context) -> {
				ConfigurableApplicationContext source = context.getSourceApplicationContext();
				for (Runnable stop : List.<Runnable>of(source::stop, source::pause)) {
					context.getBean(LockRegistry.class).acquire(LockRequest.of("a")).close();
					stop.run();
					await().until(() -> String.valueOf(redis.cli("CLIENT", "LIST")).lines().count() == 1);
					source.start();
				}
				context.getBean(LockRegistry.class).acquire(LockRequest.of("a")).close();
			});
		}
	}

	private static Thread close(ConfigurableApplicationContext context) {
		Thread thread = new Thread(context::close, "closing");
		thread.start();
		return thread;
	}

	static class Service {

		@DistributedLock
		public String heldBy(LockMonitor monitor) {
			return monitor.held().get(0).name();
		}

	}

	@Aspect
	static class LockedAspect {

		@DistributedLock
		public void run() {
		}

	}

	static class LockedAdvice implements Advice {

		@DistributedLock
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Scoped {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Service service() {
			return new Service();
		}

	}

	static class Tenants {

		@DistributedLock(key = "@tenant")
		public String bill(LockMonitor monitor) {
			LockMonitor.Held held = monitor.held().get(0);
			return "%s, %d".formatted(held.name(), held.holdCount());
		}

	}

	static class Wrapping implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof LockRegistry)
					? ProxyFactory.getProxy(LockRegistry.class, new SingletonTargetSource(bean)) : bean;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeededEarly {

		@Bean
		static Service service() {
			return new Service();
		}

		@Bean
		static Stamping stamping(Service service) {
			return new Stamping();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeededLater {

		@Bean
		static Service service() {
			return new Service();
		}

		@Bean
		static Stamping stamping(ObjectProvider<Service> service) {
			return new Stamping();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MadeEarly {

		@Bean
		static Service service() {
			return new Service();
		}

		@Bean
		static BeanFactoryPostProcessor warming() {
			return (beans) -> beans.getBean(Service.class);
		}

	}

	@Import(NeededEarly.class)
	@Configuration(proxyBeanMethods = false)
	static class OtherProxyEarly {

		@Bean
		static ProxyingFirst proxying() {
			return new ProxyingFirst();
		}

	}

	static class Stamping implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class ProxyingFirst implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof Service) ? new ProxyFactory(bean).getProxy() : bean;
		}

	}

	interface Held {

		@DistributedLock
		String by(LockMonitor monitor);

	}

	static class OfInterface implements Held {

		@Override
		public String by(LockMonitor monitor) {
			return monitor.held().get(0).name();
		}

	}

	static class WrappingLocked implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof Held held) ? new Wrapped(held) : bean;
		}

	}

	record Wrapped(Held held) implements Held {

		@Override
		public String by(LockMonitor monitor) {
			return this.held.by(monitor);
		}

	}

	static class LockedTask implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	static final class FinalTask implements Runnable {

		@Override
		@DistributedLock
		public void run() {
			LockContext.assertHeld();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByInterfaces {

		@Bean
		@Proxyable(ProxyType.INTERFACES)
		FinalTask task() {
			return new FinalTask();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BehindInterface {

		@Bean
		@Proxyable(interfaces = Runnable.class)
		Runnable task() {
			return new FinalTask();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamedInit {

		@Bean(initMethod = "run")
		LockedTask task() {
			return new LockedTask();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamedDestroy {

		@Bean(destroyMethod = "run")
		LockedTask task() {
			return new LockedTask();
		}

	}

	static class Losses {

		final BlockingQueue<LockLoss> heard = new LinkedBlockingQueue<>();

		@EventListener
		public void onLoss(LockLoss loss) {
			this.heard.add(loss);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		final List<String> heard = new ArrayList<>();

		@Bean
		@Order(2)
		LockListener second() {
			return new Named("second");
		}

		@Bean
		@Order(1)
		LockListener first() {
			return new Named("first");
		}

		private final class Named implements LockListener {

			private final String name;

			Named(String name) {
				this.name = name;
			}

			@Override
			public void acquired(LockHandle lock, Duration waited) {
				Listeners.this.heard.add(this.name);
			}

		}

	}

}
