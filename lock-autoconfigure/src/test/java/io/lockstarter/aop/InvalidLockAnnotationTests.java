package io.lockstarter.aop;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.Durations;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.EngineSettings;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import kotlin.coroutines.Continuation;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

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
	void tellsTheMethodAfterSerialization() throws Exception {
		InvalidLockAnnotationException failure = failure(BadWaitTime.class, Map.of("wait", "soon"));
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		new ObjectOutputStream(bytes).writeObject(failure);
		InvalidLockAnnotationException copy = (InvalidLockAnnotationException) new ObjectInputStream(
				new ByteArrayInputStream(bytes.toByteArray()))
			.readObject();
		assertThat(copy).hasMessage(failure.getMessage());
		assertThat(copy.method()).isEqualTo(failure.method()).isEqualTo(BadWaitTime.class.getMethod("run"));
	}

	@Test
	void refusesNegativeWaitTime() {
		assertThat(failure(BadWaitTime.class, Map.of("wait", "-5s")))
			.hasMessageContaining("waitTime = \"${wait}\" must be at least 0s and at most 365d but is -5s")
			.hasMessageContaining("use \"0\" to try once");
	}

	@Test
	void refusesEndlessWaitTime() {
		assertThat(failure(BadWaitTime.class, Map.of("wait", "366d")))
			.hasMessageContaining("must be at least 0s and at most 365d but is 366d; make it shorter");
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
	@ValueSource(strings = { "0", "0s", "-1s", "99ms" })
	void refusesLeaseThatRegistryRefuses(String text) {
		assertThat(failure(BadLeaseTime.class, Map.of("lease", text)))
			.hasMessageContaining("leaseTime = \"${lease}\" must be at least 100ms and at most 365d but is ")
			.hasMessageContaining("omit it");
	}

	@Test
	void acceptsShortestLeaseThatRegistryAccepts() {
		Duration least = Durations.SHORTEST_LEASE;
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
			.hasMessageContaining("key = \"id + 'x'\": 'id' is unknown; write #id for the parameter");
	}

	@ParameterizedTest
	@ValueSource(classes = { RecordAsKey.class, ClassAsKey.class, PropertyAsKey.class, GetterAsKey.class,
			FieldAsKey.class, ListAsKey.class, ArrayAsKey.class, OneOfSeveralAsKey.class, GenericAsKey.class,
			OptionalAsKey.class, ResultAsKey.class })
	void refusesKeyOfTypeWithoutText(Class<?> type) {
		InvalidLockAnnotationException failure = failure(type);
		assertThat(failure)
			.hasMessageContaining(", which has no text that is the same in every JVM; use a simple property");
		assertThat(failure.attribute()).isEqualTo("key");
	}

	@Test
	void refusesBytesAsKey() {
		assertThat(failure(BytesAsKey.class))
			.hasMessageContaining("key = \"#digest\" gives a byte[]; use a text that is made of it, as in T(java.util");
	}

	@Test
	void acceptsKeyWhoseTypeMayHaveText() {
		try (LockedBeans beans = new LockedBeans()) {
			assertThat(beans.bean(MayBeKeys.class)).isNotNull();
		}
	}

	@Test
	void refusesTextWithoutQuotes() {
		assertThat(failure(BareText.class)).hasMessageContaining("write 'nightly' in quotes for a fixed text");
	}

	@Test
	void asksForANumberOfPermits() {
		assertThat(failure(PermitsAsAWord.class)).hasMessageEndingWith("permits = \"four\": 'four' is unknown; write"
				+ " a number, such as \"4\", or an expression that gives one, which may use #a0, #limit, #p0,"
				+ " #root.target, #root.method");
		assertThat(failure(PermitsWithUnit.class))
			.hasMessageContaining("permits = \"4 users\" is not a SpEL expression")
			.hasMessageEndingWith("; write a number, such as \"4\", or an expression that gives one, with #name for a"
					+ " parameter");
	}

	@Test
	void asksForACondition() {
		assertThat(failure(ConditionInWords.class)).hasMessageEndingWith("condition = \"always\": 'always' is unknown"
				+ "; write an expression that is true or false, which may use #root.target, #root.method");
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
			.hasMessageContaining("onTimeout = SKIP has no value to return as int")
			.hasMessageContaining("return Integer instead");
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFutureTask.class, ReturnsOwnFuture.class, ReturnsOwnPublisher.class,
			ReturnsGenericFuture.class, LateOnClass.class })
	void refusesResultThatCannotBeFollowed(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("is completed later, in a way that is not supported")
			.hasMessageContaining("return a CompletionStage, CompletableFuture or Future");
	}

	@ParameterizedTest
	@ValueSource(classes = { Callable.class, Stream.class, IntStream.class, DeferredResult.class, WebAsyncTask.class,
			StreamingResponseBody.class, ResponseBodyEmitter.class, SseEmitter.class })
	void refusesResultThatSomebodyElseRunsLater(Class<?> result) {
		assertThat(failure(bean(result, null, "")))
			.hasMessageContaining("its result (%s) is computed by its receiver, after the lock was released"
				.formatted(result.getSimpleName()))
			.hasMessageContaining("return a result that is computed under the lock, such as a List, or declare Object");
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsSupplier.class, ReturnsJob.class })
	void acceptsResultThatMayBeAValue(Class<?> type) {
		try (LockedBeans beans = new LockedBeans(true, Map.of())) {
			assertThatNoException().isThrownBy(() -> beans.create(type));
		}
	}

	@Test
	void refusesSuspendFunction() {
		Class<?> type = beanWithNamelessParameter(Continuation.class, "");
		assertThat(failure(type)).hasMessageContaining("a suspend function continues after it has returned");
	}

	@ParameterizedTest
	@ValueSource(classes = { OnPrivate.class, OnStatic.class, OnFinal.class, FinalInAnnotatedClass.class })
	void refusesMethodThatProxyCannotIntercept(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("would run without the lock")
			.hasMessageContaining("make it an overridable method");
	}

	@ParameterizedTest
	@ValueSource(classes = { OnPostConstruct.class, OnPreDestroy.class, OnInitializing.class, OnDisposable.class })
	void refusesMethodThatSpringCallsOnTheBeanItself(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("Spring calls it on the bean itself, because of ")
			.hasMessageContaining("would run without the lock")
			.hasMessageContaining("an ApplicationRunner or an @EventListener");
	}

	@Test
	void acceptsCallbacksOfClassThatIsLockedAsAWhole() {
		try (LockedBeans beans = new LockedBeans(true, Map.of())) {
			assertThatNoException().isThrownBy(() -> beans.create(OnClassWithCallback.class));
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OnBean.class, OnStaticBean.class, MetaOnBean.class })
	void refusesMethodThatMakesABean(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("the lock would apply to the creation of the bean")
			.hasMessageContaining("annotate the method of the bean's class");
	}

	@Test
	void acceptsMakingOfBeansInClassThatIsLockedAsAWhole() {
		try (LockedBeans beans = new LockedBeans(true, Map.of())) {
			assertThatNoException().isThrownBy(() -> beans.create(OnClassWithBean.class));
		}
	}

	@Test
	void refusesMethodThatOnlyAnotherPackageSees() {
		Class<?> type = subclassOfAnotherPackage(OnMethodOfPackage.class);
		assertThat(failure(type)).hasMessageContaining("a method that only another package sees is not called through")
			.hasMessageContaining("OnMethodOfPackage.run()");
		assertThat(failure(subclassOfAnotherPackage(OnTypeOfPackage.class)))
			.hasMessageContaining("OnTypeOfPackage.run()");
	}

	@Test
	void leavesMethodAloneThatAnnotatedClassDoesNotSee() {
		try (LockedBeans beans = new LockedBeans(true, Map.of())) {
			assertThatNoException().isThrownBy(() -> beans.create(annotatedSubclassOfAnotherPackage(OfPackage.class)));
		}
	}

	private Class<?> subclassOfAnotherPackage(Class<?> type) {
		return load(new ByteBuddy().subclass(type).name("example.Subclass"));
	}

	private Class<?> annotatedSubclassOfAnotherPackage(Class<?> type) {
		return load(new ByteBuddy().subclass(type)
			.name("example.Subclass")
			.annotateType(AnnotationDescription.Builder.ofType(DistributedLock.class).build()));
	}

	private Class<?> load(DynamicType.Builder<?> type) {
		return type.make().load(getClass().getClassLoader()).getLoaded();
	}

	@Test
	void refusesFinalClass() {
		assertThat(failure(FinalClass.class)).hasMessageContaining("FinalClass is final, and no proxy can extend it")
			.hasMessageContaining("remove 'final'");
	}

	@Test
	void acceptsFinalClassBehindInterface() {
		try (LockedBeans beans = new LockedBeans(false, Map.of())) {
			assertThatNoException().isThrownBy(() -> beans.create(FinalTask.class));
		}
	}

	@Test
	void refusesUnknownFallback() {
		assertThat(failure(UnknownFallback.class))
			.hasMessageContaining("fallback = \"busy\" is not a method of " + UnknownFallback.class.getName()
					+ " that can be called with (String, int); there is no method of that name")
			.hasMessageContaining("declare one with the same parameters, optionally followed by a"
					+ " LockAcquisitionTimeoutException")
			.extracting(InvalidLockAnnotationException::attribute)
			.isEqualTo("fallback");
	}

	@ParameterizedTest
	@ValueSource(classes = { FallbackWithOtherParameters.class, FallbackWithOtherException.class })
	void refusesFallbackWithOtherParameters(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("can be called with (String); there is only " + type.getName());
	}

	@Test
	void refusesFallbackWithOtherResult() {
		assertThat(failure(FallbackWithOtherResult.class))
			.hasMessageContaining("fallback = \"busy\" returns String and not Integer; let both return the same type");
	}

	@Test
	void refusesFallbackBesideSkip() {
		assertThat(failure(FallbackAndSkip.class))
			.hasMessageContaining("fallback = \"busy\" and onTimeout = SKIP cannot be combined; remove one of them");
	}

	@ParameterizedTest
	@ValueSource(classes = { NoPermits.class, NegativePermits.class, HalfAPermit.class, PermitsInWords.class })
	void refusesPermitsThatAreNoNumber(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("permits = \"")
			.hasMessageContaining(
					"is not a whole number of at least 1; write the number of owners that may hold the lock at a time")
			.extracting(InvalidLockAnnotationException::attribute)
			.isEqualTo("permits");
	}

	@ParameterizedTest
	@ValueSource(classes = { PermitsOfReader.class, PermitsOfWriter.class })
	void refusesPermitsBesideReadersAndWriters(Class<?> type) {
		assertThat(failure(type)).hasMessageContaining("permits = \"4\" and type = ")
			.hasMessageContaining("cannot be combined; remove one of them");
	}

	@Test
	void refusesPermitsWithUnknownParameter() {
		assertThat(failure(UnknownInPermits.class))
			.hasMessageContaining("permits = \"#tennant.parallelism\": '#tennant' is not a parameter of the method");
	}

	@Test
	void refusesConditionThatIsNoSpel() {
		assertThat(failure(BadCondition.class)).hasMessageContaining("condition = \"#id ==\" is not a SpEL expression")
			.extracting(InvalidLockAnnotationException::attribute)
			.isEqualTo("condition");
	}

	@Test
	void refusesConditionWithUnknownParameter() {
		assertThat(failure(UnknownInCondition.class))
			.hasMessageContaining("condition = \"#ordr.paid\": '#ordr' is not a parameter of the method");
	}

	@ParameterizedTest
	@ValueSource(strings = { "1h", "10s", "9899ms" })
	void refusesHoldAtLeastLongerThanFixedLease(String text) {
		assertThat(failure(KeptTooLong.class, Map.of("least", text))).hasMessageContaining(
				"holdAtLeast = \"${least}\" is longer than leaseTime = \"10s\" is valid for its holder" + " (9898 ms)")
			.hasMessageContaining("omit leaseTime");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1s", "soon", "366d" })
	void refusesBadHoldAtLeast(String text) {
		assertThat(failure(KeptTooLong.class, Map.of("least", text))).hasMessageContaining("holdAtLeast")
			.extracting(InvalidLockAnnotationException::attribute)
			.isEqualTo("holdAtLeast");
	}

	@Test
	void acceptsHoldAtLeastWithinFixedLease() {
		try (LockedBeans beans = new LockedBeans(true, Map.of("least", "9898ms"))) {
			assertThatNoException().isThrownBy(() -> beans.create(KeptTooLong.class));
		}
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
			assertThat(failure).as("names the method, the reason and the next step")
				.hasMessage("@DistributedLock on method %s: %s; %s", Describe.method(failure.method()),
						failure.problem(), failure.fix());
			assertThat(failure.problem()).isNotBlank().doesNotEndWith(".");
			assertThat(failure.fix()).isNotBlank().doesNotEndWith(".");
			return failure;
		}
	}

	/**
	 * Define a bean whose one method has a parameter without a name.
	 */
	private Class<?> beanWithNamelessParameter(Class<?> parameter, String key) {
		return bean(Object.class, parameter, key);
	}

	private Class<?> bean(Class<?> result, @Nullable Class<?> parameter, String key) {
		return new ByteBuddy().subclass(Object.class)
			.name("example.Generated")
			.defineMethod("run", result, Visibility.PUBLIC)
			.withParameters((parameter != null) ? List.of(parameter) : List.of())
			.intercept(FixedValue.nullValue())
			.annotateMethod(AnnotationDescription.Builder.ofType(DistributedLock.class).define("key", key).build())
			.make()
			.load(getClass().getClassLoader())
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

	static class PermitsAsAWord {

		@DistributedLock(permits = "four")
		public void run(int limit) {
		}

	}

	static class PermitsWithUnit {

		@DistributedLock(permits = "4 users")
		public void run() {
		}

	}

	static class ConditionInWords {

		@DistributedLock(condition = "always")
		public void run() {
		}

	}

	static class BareText {

		@DistributedLock(key = "nightly")
		public void run() {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		public int run() {
			return 1;
		}

	}

	static class ReturnsFutureTask {

		@DistributedLock
		public FutureTask<String> run() {
			return new FutureTask<>(() -> "");
		}

	}

	static class OwnFuture extends CompletableFuture<String> {

	}

	static class ReturnsOwnFuture {

		@DistributedLock
		public OwnFuture run() {
			return new OwnFuture();
		}

	}

	static class ReturnsJob {

		@DistributedLock
		public Job run() {
			return new Job();
		}

	}

	static class Job implements Callable<String> {

		@Override
		public String call() {
			return "";
		}

	}

	static class ReturnsSupplier {

		@DistributedLock
		public Supplier<String> run() {
			return () -> "";
		}

	}

	abstract static class OwnPublisher implements Flow.Publisher<String> {

	}

	static class ReturnsOwnPublisher {

		@DistributedLock
		public OwnPublisher run() {
			return null;
		}

	}

	abstract static class Generic<T> {

		@DistributedLock
		public T run() {
			return null;
		}

	}

	static class ReturnsGenericFuture extends Generic<OwnFuture> {

	}

	@DistributedLock
	static class LateOnClass {

		public OwnFuture run() {
			return new OwnFuture();
		}

	}

	public static class OnMethodOfPackage {

		@DistributedLock
		void run() {
		}

	}

	@DistributedLock
	public static class OnTypeOfPackage {

		void run() {
		}

	}

	public static class OfPackage {

		void run() {
		}

	}

	static class OnPrivate {

		@DistributedLock
		private void run() {
		}

	}

	static class OnPostConstruct {

		@PostConstruct
		@DistributedLock
		void migrate() {
		}

	}

	static class OnPreDestroy {

		@PreDestroy
		@DistributedLock
		void leave() {
		}

	}

	static class OnInitializing implements InitializingBean {

		@Override
		@DistributedLock
		public void afterPropertiesSet() {
		}

	}

	static class OnDisposable implements DisposableBean {

		@Override
		@DistributedLock
		public void destroy() {
		}

	}

	@DistributedLock
	static class OnClassWithCallback implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
		}

	}

	static class OnBean {

		@Bean
		@DistributedLock
		Runnable task() {
			return () -> {
			};
		}

	}

	static class OnStaticBean {

		@Bean
		@DistributedLock
		static Runnable task() {
			return () -> {
			};
		}

	}

	@Bean
	@Retention(RetentionPolicy.RUNTIME)
	@interface OwnBean {

	}

	@DistributedLock
	@Retention(RetentionPolicy.RUNTIME)
	@interface OwnLock {

	}

	static class MetaOnBean {

		@OwnBean
		@OwnLock
		Runnable task() {
			return () -> {
			};
		}

	}

	@DistributedLock
	static class OnClassWithBean {

		@Bean
		Object task() {
			return "";
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

	static final class FinalClass {

		@DistributedLock
		public void run() {
		}

	}

	static final class FinalTask implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	static class UnknownFallback {

		@DistributedLock(fallback = "busy")
		public void run(String id, int count) {
		}

	}

	static class FallbackWithOtherParameters {

		@DistributedLock(fallback = "busy")
		public void run(String id) {
		}

		void busy(Integer id) {
		}

	}

	static class FallbackWithOtherException {

		@DistributedLock(fallback = "busy")
		public void run(String id) {
		}

		void busy(String id, IllegalStateException ex) {
		}

	}

	static class FallbackWithOtherResult {

		@DistributedLock(fallback = "busy")
		public Integer run() {
			return 1;
		}

		String busy() {
			return "";
		}

	}

	static class FallbackAndSkip {

		@DistributedLock(fallback = "busy", onTimeout = OnTimeout.SKIP)
		public void run() {
		}

		void busy() {
		}

	}

	static class NoPermits {

		@DistributedLock(permits = "0")
		public void run() {
		}

	}

	static class NegativePermits {

		@DistributedLock(permits = "2 - 3")
		public void run() {
		}

	}

	static class HalfAPermit {

		@DistributedLock(permits = "${no.such.property:0.5}")
		public void run() {
		}

	}

	static class PermitsInWords {

		@DistributedLock(permits = "'four'")
		public void run() {
		}

	}

	static class PermitsOfReader {

		@DistributedLock(permits = "4", type = LockType.READ)
		public void run() {
		}

	}

	static class PermitsOfWriter {

		@DistributedLock(permits = "4", type = LockType.WRITE)
		public void run() {
		}

	}

	static class UnknownInPermits {

		@DistributedLock(permits = "#tennant.parallelism")
		public void run(String tenant) {
		}

	}

	static class BadCondition {

		@DistributedLock(condition = "#id ==")
		public void run(String id) {
		}

	}

	static class UnknownInCondition {

		@DistributedLock(condition = "#ordr.paid")
		public void run(String order) {
		}

	}

	static class KeptTooLong {

		@DistributedLock(leaseTime = "10s", holdAtLeast = "${least}")
		public void run() {
		}

	}

	record Parcel(String id, Box box, byte[] digest) {
	}

	static class Box {

		public final Box outer = null;

		public Box getInner() {
			return this.outer;
		}

		public String getLabel() {
			return "label";
		}

	}

	static class Keyed<T> {

		@DistributedLock(key = "#value")
		public void run(T value) {
		}

	}

	static class RecordAsKey {

		@DistributedLock(key = "#parcel")
		public void run(Parcel parcel) {
		}

	}

	static class ClassAsKey {

		@DistributedLock(key = "#p0")
		public void run(Box box) {
		}

	}

	static class PropertyAsKey {

		@DistributedLock(key = "#parcel.box")
		public void run(Parcel parcel) {
		}

	}

	static class GetterAsKey {

		@DistributedLock(key = "#parcel.box?.inner")
		public void run(Parcel parcel) {
		}

	}

	static class FieldAsKey {

		@DistributedLock(key = "#box.outer")
		public void run(Box box) {
		}

	}

	static class ResultAsKey {

		@DistributedLock(key = "#parcel.box()")
		public void run(Parcel parcel) {
		}

	}

	static class ListAsKey {

		@DistributedLock(key = "#parcels")
		public void run(List<Parcel> parcels) {
		}

	}

	static class ArrayAsKey {

		@DistributedLock(key = "#parcels")
		public void run(Parcel[] parcels) {
		}

	}

	static class OneOfSeveralAsKey {

		@DistributedLock(key = "{#id, #parcel}")
		public void run(String id, Parcel parcel) {
		}

	}

	static class GenericAsKey extends Keyed<Parcel> {

	}

	static class OptionalAsKey {

		@DistributedLock(key = "#id")
		public void run(java.util.Optional<String> id) {
		}

	}

	static class BytesAsKey {

		@DistributedLock(key = "#digest")
		public void run(byte[] digest) {
		}

	}

	static class MayBeKeys extends Keyed<Object> {

		@DistributedLock(key = "#id + ':' + #parcel.box.label")
		public void simple(String id, Parcel parcel) {
		}

		@DistributedLock(key = "{#count, #many, #unit, #any, #text}")
		public void several(int count, List<String> many, java.util.concurrent.TimeUnit unit, Comparable<?> any,
				CharSequence text) {
		}

		@DistributedLock(key = "#parcels.![id]")
		public void projected(List<Parcel> parcels) {
		}

		@DistributedLock(key = "#parcels[0].id")
		public void indexed(List<? extends Parcel> parcels) {
		}

		@DistributedLock(key = "#digest.length")
		public void length(byte[] digest) {
		}

		@DistributedLock(key = "#raw")
		@SuppressWarnings("rawtypes")
		public void raw(List raw) {
		}

		@DistributedLock(key = "#wild")
		public void wild(List<? extends Number> wild, int[] numbers) {
		}

		@DistributedLock(key = "#number.unknown.thing")
		public void unknown(Number number) {
		}

		@DistributedLock(key = "#path")
		public void path(java.nio.file.Path path) {
		}

	}

}
