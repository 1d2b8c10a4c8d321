package io.lockstarter.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.annotation.AliasFor;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockAttributeSource}: where annotations are found, and what they say.
 */
class LockAttributeSourceTests {

	private final LockedBeans beans = new LockedBeans(true,
			Map.of("lock.name", "billing", "lock.wait", "1500ms", "lock.lease", "PT1M"));

	private final FakeLockRegistry registry = this.beans.registry;

	@Test
	void namesLockAfterClassAndMethod() {
		this.beans.bean(Plain.class).run();
		assertThat(this.registry.lastName()).isEqualTo("Plain.run");
		assertThat(this.registry.lastRequest().metricName()).isEqualTo("Plain.run");
		assertThat(this.registry.lastRequest().waitTime()).isNull();
		assertThat(this.registry.lastRequest().leaseTime()).isNull();
	}

	@Test
	void resolvesPlaceholdersAndDurations() {
		this.beans.bean(Configured.class).run("7");
		assertThat(this.registry.lastName()).isEqualTo("billing:7");
		assertThat(this.registry.lastRequest().metricName()).isEqualTo("billing");
		assertThat(this.registry.lastRequest().waitTime()).isEqualTo(Duration.ofMillis(1500));
		assertThat(this.registry.lastRequest().leaseTime()).isEqualTo(Duration.ofMinutes(1));
	}

	@Test
	void triesOnceWithWaitTimeZero() {
		this.beans.bean(Configured.class).tryOnce();
		assertThat(this.registry.lastRequest().waitTime()).isZero();
	}

	@Test
	void resolvesOnceForEachMethodAndClass() {
		LockAttributeSource source = new LockAttributeSource(new LockEnvironment((text) -> text,
				CallerTransaction.IGNORED, new ProxyInterceptionCheck((type) -> true), Set.of(), () -> null));
		Method method = ReflectionUtils.findMethod(Plain.class, "run");
		LockAttribute first = source.find(method, Plain.class);
		assertThat(source.find(method, Plain.class)).isNotNull().isSameAs(first);
		Method other = ReflectionUtils.findMethod(Plain.class, "unlocked");
		assertThat(source.find(other, Plain.class)).isNull();
	}

	@Test
	void findsAnnotationOnClass() {
		OnClass bean = this.beans.bean(OnClass.class);
		bean.first();
		assertThat(this.registry.lastName()).isEqualTo("OnClass.first");
		bean.visibleInPackage();
		assertThat(this.registry.lastName()).isEqualTo("OnClass.visibleInPackage");
	}

	@Test
	void prefersAnnotationOnMethodOverClass() {
		this.beans.bean(OnClass.class).own();
		assertThat(this.registry.lastName()).isEqualTo("own");
	}

	@Test
	void leavesMethodsOfObjectAloneWhenClassIsAnnotated() {
		OnClass bean = this.beans.bean(OnClass.class);
		assertThat(bean.toString()).isEqualTo("on class");
		assertThat(bean).hasSameHashCodeAs(bean);
		assertThat(this.registry.requests).isEmpty();
	}

	@Test
	void locksInheritedMethodsOfAnnotatedClassAndItsSubclass() {
		this.beans.bean(SubclassOfAnnotated.class).first();
		assertThat(this.registry.lastName()).isEqualTo("SubclassOfAnnotated.first");
		this.beans.bean(AnnotatedSubclass.class).inherited();
		assertThat(this.registry.lastName()).isEqualTo("AnnotatedSubclass.inherited");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void findsAnnotationOnMethodOfInterface(boolean classProxies) {
		try (LockedBeans beans = new LockedBeans(classProxies, Map.of())) {
			Shipping bean = beans.bean(Shipping.class, ShippingService.class);
			assertThat(Proxy.isProxyClass(bean.getClass())).isNotEqualTo(classProxies);
			bean.ship("7");
			assertThat(beans.registry.lastName()).isEqualTo("ShippingService.ship:7");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void findsAnnotationOnInterface(boolean classProxies) {
		try (LockedBeans beans = new LockedBeans(classProxies, Map.of())) {
			beans.bean(AnnotatedInterface.class, AnnotatedInterfaceService.class).run();
			assertThat(beans.registry.lastName()).isEqualTo("AnnotatedInterfaceService.run");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void findsAnnotationOnClassBehindInterfaceProxy(boolean classProxies) {
		try (LockedBeans beans = new LockedBeans(classProxies, Map.of())) {
			beans.bean(Unannotated.class, AnnotatedImplementation.class).run("7");
			assertThat(beans.registry.lastName()).isEqualTo("implementation:7");
		}
	}

	@Test
	void prefersAnnotationOfClassOverInterface() {
		this.beans.bean(Shipping.class, OverridingShippingService.class).ship("7");
		assertThat(this.registry.lastName()).isEqualTo("overriding");
	}

	@Test
	void prefersMetaAnnotationOfClassOverInterface() {
		this.beans.bean(Shipping.class, ComposedShippingService.class).ship("7");
		assertThat(this.registry.lastName()).isEqualTo("settlement:7");
	}

	@Test
	void findsMetaAnnotationAndItsAliases() {
		this.beans.bean(Composed.class).settle("7");
		assertThat(this.registry.lastName()).isEqualTo("settlement:7");
		assertThat(this.registry.lastRequest().leaseTime()).isEqualTo(Duration.ofSeconds(5));
		LockAttribute attribute = new LockAttributeSource(new LockEnvironment((text) -> text, CallerTransaction.IGNORED,
				new ProxyInterceptionCheck((type) -> true), Set.of(), () -> null))
			.find(ReflectionUtils.findMethod(Composed.class, "settle", String.class), Composed.class);
		assertThat(attribute.onTimeout()).isEqualTo(OnTimeout.SKIP);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void findsAnnotationOnBridgedGenericMethod(boolean classProxies) {
		try (LockedBeans beans = new LockedBeans(classProxies, Map.of())) {
			@SuppressWarnings("unchecked")
			Handler<String> bean = beans.bean(Handler.class, StringHandler.class);
			bean.handle("7");
			assertThat(beans.registry.lastName()).isEqualTo("StringHandler.handle:7");
			assertThat(beans.registry.requests).hasSize(1);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void findsAnnotationOnGenericMethodOfInterface(boolean classProxies) {
		try (LockedBeans beans = new LockedBeans(classProxies, Map.of())) {
			@SuppressWarnings("unchecked")
			AnnotatedHandler<String> bean = beans.bean(AnnotatedHandler.class, AnnotatedStringHandler.class);
			bean.handle("7");
			assertThat(beans.registry.lastName()).isEqualTo("AnnotatedStringHandler.handle:7");
		}
	}

	@Test
	void namesLockOfGeneratedClassAfterAnnotatedInterface() {
		Shipping lambda = (id) -> {
		};
		this.beans.bean("lambda", Shipping.class, () -> lambda).ship("7");
		assertThat(this.registry.lastName()).isEqualTo("Shipping.ship:7");
		Shipping proxy = (Shipping) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { Shipping.class },
				(instance, method, arguments) -> method.getName().equals("hashCode") ? 8 : null);
		this.beans.bean("proxy", Shipping.class, () -> proxy).ship("8");
		assertThat(this.registry.lastName()).isEqualTo("Shipping.ship:8");
	}

	static class Plain {

		@DistributedLock
		public void run() {
		}

		public void unlocked() {
		}

	}

	static class Configured {

		@DistributedLock(name = "${lock.name}", key = "#id", waitTime = "${lock.wait}", leaseTime = "${lock.lease}")
		public void run(String id) {
		}

		@DistributedLock(waitTime = "0")
		public void tryOnce() {
		}

	}

	@DistributedLock
	static class OnClass {

		public void first() {
		}

		void visibleInPackage() {
		}

		@DistributedLock(name = "own")
		public void own() {
		}

		private void hidden() {
		}

		@Override
		public String toString() {
			return "on class";
		}

		@Override
		public int hashCode() {
			return 42;
		}

		@Override
		public boolean equals(Object other) {
			return other == this;
		}

	}

	static class SubclassOfAnnotated extends OnClass {

	}

	static class Base {

		public void inherited() {
		}

	}

	@DistributedLock
	static class AnnotatedSubclass extends Base {

	}

	interface Shipping {

		@DistributedLock(key = "#order")
		void ship(String order);

	}

	static class ShippingService implements Shipping {

		@Override
		public void ship(String namedOtherwise) {
		}

	}

	static class OverridingShippingService implements Shipping {

		@Override
		@DistributedLock(name = "overriding")
		public void ship(String order) {
		}

	}

	static class ComposedShippingService implements Shipping {

		@Override
		@Settlement("#id")
		public void ship(String id) {
		}

	}

	@DistributedLock
	interface AnnotatedInterface {

		void run();

	}

	static class AnnotatedInterfaceService implements AnnotatedInterface {

		@Override
		public void run() {
		}

	}

	interface Unannotated {

		void run(String id);

	}

	static class AnnotatedImplementation implements Unannotated {

		@Override
		@DistributedLock(name = "implementation", key = "#id")
		public void run(String id) {
		}

	}

	@DistributedLock(name = "settlement", onTimeout = OnTimeout.SKIP)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Settlement {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

		@AliasFor(annotation = DistributedLock.class)
		String leaseTime() default "5s";

	}

	static class Composed {

		@Settlement("#id")
		public void settle(String id) {
		}

	}

	interface Handler<T> {

		void handle(T value);

	}

	static class StringHandler implements Handler<String> {

		@Override
		@DistributedLock(key = "#value")
		public void handle(String value) {
		}

	}

	interface AnnotatedHandler<T> {

		@DistributedLock(key = "#value")
		void handle(T value);

	}

	static class AnnotatedStringHandler implements AnnotatedHandler<String> {

		@Override
		public void handle(String value) {
		}

	}

}
