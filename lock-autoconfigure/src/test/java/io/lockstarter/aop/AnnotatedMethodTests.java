package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Ownership;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeanUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AnnotatedMethod}: for methods that are not written in the class of
 * their bean, with both kinds of proxies.
 */
class AnnotatedMethodTests {

	static Stream<Arguments> kinds() {
		return Arrays.stream(Kind.values())
			.flatMap((kind) -> Stream.of(true, false).map((classProxies) -> Arguments.of(kind, classProxies)));
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void locks(Kind kind, boolean classProxies) {
		try (LockedBeans beans = new LockedBeans(classProxies, Map.of())) {
			Object bean = beans.bean("bean", Object.class, () -> BeanUtils.instantiateClass(kind.type));
			assertThat(AopUtils.isAopProxy(bean)).isTrue();
			kind.call(bean);
			assertThat(beans.registry.requests).hasSize(1);
			assertThat(beans.registry.lastName()).isEqualTo(kind.lock);
		}
	}

	/** What is asked ahead of time, and by weaving, is what a call asks. */
	@ParameterizedTest
	@MethodSource("kinds")
	void isFoundFromWhateverMethodIsCalled(Kind kind, boolean classProxies) {
		Method runs = kind.runs();
		assertThat(AnnotatedMethod.all(kind.type)).singleElement()
			.satisfies((found) -> assertThat(found.method()).isEqualTo(runs));
		assertThat(kind.type.getMethods()).filteredOn((method) -> method.getName().equals(runs.getName()))
			.isNotEmpty()
			.allSatisfy((method) -> assertThat(AnnotatedMethod.find(method, kind.type))
				.hasValueSatisfying((found) -> assertThat(found.method()).isEqualTo(runs)));
	}

	@Test
	void compilerMakesBridgesForThese() throws NoSuchMethodException {
		assertThat(Shop.class.getDeclaredMethod("ship", String.class).isBridge()).isTrue();
		assertThat(OrderStore.class.getDeclaredMethod("save", Order.class).isBridge()).isTrue();
	}

	@Test
	void leavesOverloadsOfInheritedImplementationAlone() {
		try (LockedBeans beans = new LockedBeans()) {
			Overloaded bean = beans.bean(Overloaded.class);
			bean.run(7);
			bean.run("7", "8");
			assertThat(beans.registry.requests).isEmpty();
			bean.run("7");
			assertThat(beans.registry.lastName()).isEqualTo("text:7");
		}
	}

	@Test
	void prefersMethodOfClassOverThatOfInterface() {
		try (LockedBeans beans = new LockedBeans()) {
			beans.bean(Preferring.class).run();
			assertThat(beans.registry.lastName()).isEqualTo("class");
		}
	}

	/** What is not found at all is neither locked nor refused. */
	@Test
	void findsMethodOfPackageBelowAnnotatedTypeOfAnotherPackage() throws NoSuchMethodException {
		Class<?> type = new ByteBuddy().subclass(AnnotatedType.class)
			.name("example.Subclass")
			.defineMethod("run", void.class, Ownership.MEMBER)
			.intercept(StubMethod.INSTANCE)
			.make()
			.load(getClass().getClassLoader())
			.getLoaded();
		Method method = type.getDeclaredMethod("run");
		assertThat(AnnotatedMethod.find(method, type)).isPresent();
		assertThat(AnnotatedMethod.all(type)).extracting(AnnotatedMethod::method).contains(method);
	}

	/**
	 * Where the method that runs comes from, and how it is called.
	 */
	enum Kind {

		CLASS_OF_PACKAGE(Shop.class, "Shop.ship:7") {

			@Override
			void call(Object bean) {
				((Shop) bean).ship("7");
			}

		},

		CLASS_OF_PACKAGE_BEHIND_INTERFACE(Market.class, "Market.ship:7") {

			@Override
			void call(Object bean) {
				((Shipping) bean).ship("7");
			}

		},

		SUPER_INTERFACE(DerivedRun.class, "run") {

			@Override
			void call(Object bean) {
				((Runner) bean).run();
			}

		},

		TYPE_OF_SUPER_INTERFACE(DerivedTask.class, "DerivedTask.work") {

			@Override
			void call(Object bean) {
				((Task) bean).work();
			}

		},

		INHERITED_IMPLEMENTATION(Run.class, "run") {

			@Override
			void call(Object bean) {
				((Runner) bean).run();
			}

		},

		INHERITED_IMPLEMENTATION_OF_SUBCLASS(LaterRun.class, "run") {

			@Override
			void call(Object bean) {
				((Runner) bean).run();
			}

		},

		INHERITED_IMPLEMENTATION_OF_NEARER_INTERFACE(NearerRun.class, "nearer") {

			@Override
			void call(Object bean) {
				((Runner) bean).run();
			}

		},

		INHERITED_IMPLEMENTATION_BEHIND_BRIDGE(BridgedRun.class, "run") {

			@Override
			void call(Object bean) {
				((Runner) bean).run();
			}

		},

		INHERITED_GENERIC_IMPLEMENTATION(TextHandler.class, "TextHandler.handle:7") {

			@Override
			@SuppressWarnings("unchecked")
			void call(Object bean) {
				((Handler<String>) bean).handle("7");
			}

		},

		INHERITED_IMPLEMENTATION_OF_REDECLARED_METHOD(OrderStore.class, "OrderStore.save:7") {

			@Override
			void call(Object bean) {
				((Orders) bean).save(new Order("7"));
			}

		},

		INHERITED_IMPLEMENTATION_CALLED_BY_ITS_GENERIC_METHOD(OrderStore.class, "OrderStore.save:7") {

			@Override
			@SuppressWarnings("unchecked")
			void call(Object bean) {
				((Store<Order>) bean).save(new Order("7"));
			}

		};

		private final Class<?> type;

		private final String lock;

		Kind(Class<?> type, String lock) {
			this.type = type;
			this.lock = lock;
		}

		abstract void call(Object bean);

		/** The one method that somebody wrote. */
		Method runs() {
			for (Class<?> type = this.type; type != null; type = type.getSuperclass()) {
				for (Method method : type.getDeclaredMethods()) {
					if (!method.isSynthetic()) {
						return method;
					}
				}
			}
			throw new IllegalStateException("No method");
		}

	}

	abstract static class ShopOfPackage {

		@DistributedLock(key = "#id")
		public void ship(String id) {
		}

	}

	public static class Shop extends ShopOfPackage {

	}

	public interface Shipping {

		void ship(String id);

	}

	public static class Market extends ShopOfPackage implements Shipping {

	}

	@DistributedLock
	public static class AnnotatedType {

	}

	public interface DerivedRunner extends Runner {

	}

	public static class DerivedRun implements DerivedRunner {

		@Override
		public void run() {
		}

	}

	@DistributedLock
	public interface Task {

		void work();

	}

	public interface LaterTask extends Task {

	}

	public static class DerivedTask implements LaterTask {

		@Override
		public void work() {
		}

	}

	public interface Runner {

		@DistributedLock(name = "run")
		void run();

	}

	public static class Base {

		public void run() {
		}

	}

	public static class Run extends Base implements Runner {

	}

	public static class LaterRun extends Run {

	}

	public interface NearerRunner extends Runner {

		@Override
		@DistributedLock(name = "nearer")
		void run();

	}

	public static class NearerRun extends Base implements Runner, NearerRunner {

	}

	static class BaseOfPackage {

		public void run() {
		}

	}

	public static class BridgedRun extends BaseOfPackage implements Runner {

	}

	public interface Handler<T> {

		@DistributedLock(key = "#value")
		void handle(T value);

	}

	public abstract static class HandlerBase<T> {

		public void handle(T namedOtherwise) {
		}

	}

	public static class TextHandler extends HandlerBase<String> implements Handler<String> {

	}

	public record Order(String id) {

	}

	public interface Store<T> {

		T save(T value);

	}

	public abstract static class AbstractStore<T> implements Store<T> {

		@Override
		public T save(T value) {
			return value;
		}

	}

	public interface Orders extends Store<Order> {

		@Override
		@DistributedLock(key = "#order.id")
		Order save(Order order);

	}

	public static class OrderStore extends AbstractStore<Order> implements Orders {

	}

	public interface TextRunner {

		@DistributedLock(name = "text", key = "#text")
		void run(String text);

	}

	public static class OverloadedBase {

		public void run(String text) {
		}

		public void run(Object value) {
		}

		public void run(String text, String other) {
		}

	}

	public static class Overloaded extends OverloadedBase implements TextRunner {

	}

	public static class AnnotatedBase {

		@DistributedLock(name = "class")
		public void run() {
		}

	}

	public static class Preferring extends AnnotatedBase implements Runner {

	}

}
