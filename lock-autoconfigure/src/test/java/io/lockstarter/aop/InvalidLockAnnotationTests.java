package io.lockstarter.aop;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnFailure;
import io.lockstarter.engine.EngineSettings;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.implementation.FixedValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for annotations that can never work: each fails when its bean is created, and
 * says what to do.
 */
class InvalidLockAnnotationTests {

	@ParameterizedTest
	@ValueSource(strings = { "10 bananas", "10", "soon", "PT", "99999999999999999999s" })
	void refusesBadDuration(String text) {
		assertThat(failure(BadWaitTime.class, Map.of("wait", text)).getMessage())
			.contains(BadWaitTime.class.getName() + ".run()")
			.contains("waitTime = \"${wait}\" (resolved to \"" + text + "\") is not a duration")
			.contains("such as \"10s\" or \"500ms\"");
	}

	@Test
	void refusesNegativeWaitTime() {
		assertThat(failure(BadWaitTime.class, Map.of("wait", "-5s")))
			.hasMessageContaining("too short, the least is 0 ms")
			.hasMessageContaining("use \"0\" to try once");
	}

	@Test
	void refusesEndlessWaitTime() {
		assertThat(failure(BadWaitTime.class, Map.of("wait", "366d"))).hasMessageContaining("longer than 365 days");
	}

	@Test
	void refusesUnknownPlaceholder() {
		InvalidLockAnnotationException failure = failure(BadWaitTime.class, Map.of());
		assertThat(failure).hasMessageContaining(
				"waitTime = \"${wait}\" has a placeholder that cannot be resolved; define the property");
		assertThat(failure.attribute()).isEqualTo("waitTime");
		assertThat(failure.method().getName()).isEqualTo("run");
		assertThat(failure.problem()).contains("placeholder");
		assertThat(failure.fix()).contains("define the property");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "0s", "-1s", "19ms" })
	void refusesLeaseThatRegistryRefuses(String text) {
		assertThat(failure(BadLeaseTime.class, Map.of("lease", text)))
			.hasMessageContaining("leaseTime = \"${lease}\" is too short, the least is 20 ms")
			.hasMessageContaining("leave it away");
	}

	@Test
	void acceptsShortestLeaseThatRegistryAccepts() {
		Duration least = LockAnnotationReader.SHORTEST_LEASE;
		assertThatNoException().isThrownBy(() -> settings(least));
		assertThatIllegalArgumentException().isThrownBy(() -> settings(least.minusMillis(1)));
	}

	private static EngineSettings settings(Duration lease) {
		return new EngineSettings("test", Duration.ZERO, lease, null, false, 0);
	}

	@Test
	void refusesExpressionThatIsNoSpel() {
		assertThat(failure(BadSpel.class)).hasMessageContaining("BadSpel.run(String)")
			.hasMessageContaining("key = \"#id +\" is not a SpEL expression");
	}

	@Test
	void refusesUnknownParameter() {
		assertThat(failure(UnknownParameter.class))
			.hasMessageContaining("key = \"#ordr.id\": '#ordr' is not a parameter of the method")
			.hasMessageContaining("use one of #a0, #order, #p0, #root.target, #root.method");
	}

	@Test
	void refusesUnknownPosition() {
		assertThat(failure(UnknownPosition.class)).hasMessageContaining("'#p1' is not a parameter of the method");
	}

	@Test
	void refusesParameterWithoutHash() {
		assertThat(failure(BareParameter.class))
			.hasMessageContaining("key = \"id + 'x'\": 'id' is not known in it; write #id for the parameter");
	}

	@Test
	void refusesTextWithoutQuotes() {
		assertThat(failure(BareText.class)).hasMessageContaining("write 'nightly' in quotes for a fixed text");
	}

	@Test
	void explainsMissingParameterNames() {
		Class<?> type = beanWithNamelessParameter(String.class, "#id");
		assertThat(failure(type)).hasMessageContaining(
				"'#id' is unknown because the parameters' names are not in the class file; compile with the option"
						+ " -parameters, or write #p0 for the first parameter");
	}

	@Test
	void refusesSkippingPrimitive() {
		assertThat(failure(SkippedPrimitive.class))
			.hasMessageContaining("onFailure = SKIP has no value to return as int")
			.hasMessageContaining("return Integer instead");
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsCompletableFuture.class, ReturnsFuture.class, ReturnsPublisher.class,
			ReturnsGenericFuture.class, LateOnClass.class })
	void refusesResultThatIsCompletedLater(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("the lock holds only until the method returns")
			.hasMessageContaining("is completed later")
			.hasMessageContaining("LockRegistry.acquireAsync");
	}

	@Test
	void refusesSuspendFunction() {
		Class<?> continuation = new ByteBuddy().makeInterface()
			.name("kotlin.coroutines.Continuation")
			.make()
			.load(getClass().getClassLoader())
			.getLoaded();
		Class<?> type = beanWithNamelessParameter(continuation, "");
		assertThat(failure(type)).hasMessageContaining("a suspend function goes on after that");
	}

	@ParameterizedTest
	@ValueSource(classes = { OnPrivate.class, OnStatic.class, OnFinal.class, FinalInAnnotatedClass.class })
	void refusesMethodThatProxyCannotIntercept(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("would run without the lock")
			.hasMessageContaining("make it an overridable method");
	}

	@Test
	void refusesAnonymousClassWithoutName() {
		Object anonymous = new Object() {

			@DistributedLock
			public void run() {
			}

		};
		assertThat(failure(anonymous.getClass()))
			.hasMessageContaining("an anonymous class gives the lock no name; set the attribute 'name'");
	}

	@Test
	void checksEveryMethodOfBean() {
		assertThat(failure(SecondIsBad.class).method().getName()).isEqualTo("second");
	}

	private static InvalidLockAnnotationException failure(Class<?> type) {
		return failure(type, Map.of());
	}

	private static InvalidLockAnnotationException failure(Class<?> type, Map<String, Object> properties) {
		try (LockedBeans beans = new LockedBeans(true, properties)) {
			InvalidLockAnnotationException failure = catchThrowableOfType(InvalidLockAnnotationException.class,
					() -> beans.create(type));
			assertThat(failure).as("failure of %s", type).isNotNull();
			return failure;
		}
	}

	/**
	 * Define a bean whose one method has a parameter without a name.
	 */
	private Class<?> beanWithNamelessParameter(Class<?> parameter, String key) {
		return new ByteBuddy().subclass(Object.class)
			.name("example.Generated")
			.defineMethod("run", Object.class, Visibility.PUBLIC)
			.withParameters(parameter)
			.intercept(FixedValue.nullValue())
			.annotateMethod(AnnotationDescription.Builder.ofType(DistributedLock.class).define("key", key).build())
			.make()
			.load((parameter.getClassLoader() != null) ? parameter.getClassLoader() : getClass().getClassLoader())
			.getLoaded();
	}

	static class BadWaitTime {

		@DistributedLock(waitTime = "${wait}")
		public void run() {
		}

	}

	static class BadLeaseTime {

		@DistributedLock(leaseTime = "${lease}")
		public void run() {
		}

	}

	static class BadSpel {

		@DistributedLock(key = "#id +")
		public void run(String id) {
		}

	}

	static class UnknownParameter {

		@DistributedLock(key = "#ordr.id")
		public void run(String order) {
		}

	}

	static class UnknownPosition {

		@DistributedLock(key = "#p1")
		public void run(String order) {
		}

	}

	static class BareParameter {

		@DistributedLock(key = "id + 'x'")
		public void run(String id) {
		}

	}

	static class BareText {

		@DistributedLock(key = "nightly")
		public void run() {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(onFailure = OnFailure.SKIP)
		public int run() {
			return 1;
		}

	}

	static class ReturnsCompletableFuture {

		@DistributedLock
		public CompletableFuture<String> run() {
			return new CompletableFuture<>();
		}

	}

	static class ReturnsFuture {

		@DistributedLock
		public Future<String> run() {
			return new CompletableFuture<>();
		}

	}

	static class ReturnsPublisher {

		@DistributedLock
		public Flow.Publisher<String> run() {
			return (subscriber) -> {
			};
		}

	}

	abstract static class Generic<T> {

		@DistributedLock
		public T run() {
			return null;
		}

	}

	static class ReturnsGenericFuture extends Generic<CompletableFuture<String>> {

	}

	@DistributedLock
	static class LateOnClass {

		public CompletableFuture<String> run() {
			return new CompletableFuture<>();
		}

	}

	static class OnPrivate {

		@DistributedLock
		private void run() {
		}

	}

	static class OnStatic {

		@DistributedLock
		public static void run() {
		}

	}

	static class OnFinal {

		@DistributedLock
		public final void run() {
		}

	}

	@DistributedLock
	static class FinalInAnnotatedClass {

		public final void run() {
		}

	}

	static class SecondIsBad {

		@DistributedLock
		public void first() {
		}

		@DistributedLock(key = "#nothing")
		public void second() {
		}

	}

}
