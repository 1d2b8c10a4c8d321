package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lockstarter.actuate.LocksDescriptor;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.actuate.RegistriesDescriptor;
import io.lockstarter.actuate.LockSnapshotsDescriptor;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockMonitor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.javapoet.ClassName;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.core.DecoratingProxy;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what is generated ahead of time for an application with locks.
 */
class LockAotTests {

	private static final InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();

	private static final DefaultGenerationContext generation = new DefaultGenerationContext(
			new ClassNameGenerator(ClassName.get("io.lockstarter.generated", "Application")), files);

	private static final RuntimeHints hints = generation.getRuntimeHints();

	@BeforeAll
	static void generate() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues
				.of("distributed-lock.backend=in-memory", "distributed-lock.registries.billing.key-prefix=billing:",
						"management.endpoints.web.exposure.include=locks")
				.applyTo(context);
			context.register(LockAutoConfiguration.class, LockActuateAutoConfiguration.class,
					EndpointAutoConfiguration.class, Shop.class, Orders.class);
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			generation.writeGeneratedContent();
		}
	}

	@Test
	void keepsEveryScript() throws IOException {
		Resource[] scripts = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/lockstarter/redis/**/*.lua");
		assertThat(scripts).extracting(Resource::getFilename).contains("acquire.lua", "time.lua");
		for (Resource script : scripts) {
			String path = script.getURL().toString().replaceFirst(".*/(?=io/lockstarter/redis/)", "");
			assertThat(RuntimeHintsPredicates.resource().forResource(path)).as(path).accepts(hints);
		}
	}

	@Test
	void keepsTheConfigurationFromWhichTheClientIsDerived() throws NoSuchFieldException {
		assertThat(RuntimeHintsPredicates.reflection()
			.onFieldAccess(LettuceConnectionFactory.class.getDeclaredField("configuration"))).accepts(hints);
	}

	@Test
	void keepsWhatTheFenceLooksUp() throws NoSuchMethodException {
		for (String platform : List.of("h2", "postgresql", "mysql", "mariadb", "oracle", "sqlserver")) {
			String path = "io/lockstarter/fence/lock-fence-schema-%s.sql".formatted(platform);
			assertThat(getClass().getClassLoader().getResource(path)).as(path).isNotNull();
			assertThat(RuntimeHintsPredicates.resource().forResource(path)).as(path).accepts(hints);
		}
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(JpaTransactionManager.class.getMethod("getDataSource"))).accepts(hints);
	}

	@Test
	void keepsTheAnnotationAndTheRootOfItsExpressions() throws ClassNotFoundException {
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(DistributedLock.class)).accepts(hints);
		TypeReference root = TypeReference.of("io.lockstarter.aop.LockExpressionEvaluator$Call");
		for (String property : List.of("method", "target", "args")) {
			assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(root.getName(), property)).accepts(hints);
		}
	}

	@Test
	void keepsFallbacksAndThePropertiesThatKeysAreMadeOf() throws NoSuchMethodException {
		Method fallback = ReflectionUtils.findMethod(Shop.class, "busy", Order.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(fallback)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class.getMethod("customer")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Customer.class.getMethod("getId")))
			.accepts(hints);
	}

	@Test
	void keepsTheSameForMethodsThatImplementAnInterfaceByInheritance() throws NoSuchMethodException {
		Method fallback = ReflectionUtils.findMethod(Orders.class, "later", Parcel.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(fallback)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Parcel.class.getMethod("number")))
			.accepts(hints);
	}

	@Test
	void keepsWhatTheEndpointShows() {
		Method locks = ReflectionUtils.findMethod(LocksEndpoint.class, "locks", (Class<?>[]) null);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(locks)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(LocksDescriptor.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(LockSnapshotsDescriptor.class)).accepts(hints);
	}

	@Test
	void keepsFurtherRegistries() {
		assertThat(files.getGeneratedFiles(Kind.SOURCE).values())
			.anySatisfy((file) -> assertThat(new String(file.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
				.contains("billingLockRegistry", "\"billing\"", "setDefaultCandidate(false)"));
		assertThat(RuntimeHintsPredicates.proxies()
			.forInterfaces(LockMonitor.class, SpringProxy.class, Advised.class, DecoratingProxy.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(RegistriesDescriptor.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(DistributedLockProperties.Registry.class)).accepts(hints);
	}

	@Test
	void keepsTheProperties() {
		assertThat(RuntimeHintsPredicates.reflection().onType(DistributedLockProperties.class)).accepts(hints);
	}

	@Test
	void generatesTheAdvisorAndTheProxyOfALockedBean() {
		assertThat(files.getGeneratedFiles(Kind.SOURCE).keySet())
			.anyMatch((file) -> file.endsWith("LockAspectConfiguration__BeanDefinitions.java"));
		assertThat(files.getGeneratedFiles(Kind.CLASS).keySet())
			.anyMatch((file) -> file.contains("LockAotTests$Shop$$SpringCGLIB"));
	}

	record Order(Customer customer) {
	}

	static class Customer {

		public String getId() {
			return "42";
		}

	}

	static class Shop {

		@DistributedLock(key = "#order.customer.id", fallback = "busy")
		public String ship(Order order) {
			return "shipped";
		}

		private String busy(Order order) {
			return "busy";
		}

	}

	record Parcel(String number) {
	}

	interface Store<T> {

		@DistributedLock(key = "#value.number", fallback = "later")
		void save(T value);

	}

	static class StoreBase<T> {

		public void save(T value) {
		}

	}

	static class Orders extends StoreBase<Parcel> implements Store<Parcel> {

		private void later(Parcel parcel) {
		}

	}

}
