package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.engine.Registries;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.testing.GeneratedPage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.BeanCreationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for every attribute with every kind of result.
 */
class AttributeMatrixTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final String SHORTLY = "10ms";

	/** The documentation's columns, and what they are called here. */
	private static final Map<String, String> COLUMNS = columns();

	/** The kinds that the Kotlin tests look after, with what they give when skipped. */
	private static final Map<String, String> KOTLIN = kotlin();

	private final InMemoryLockStore store = new InMemoryLockStore();

	/**
	 * Longer than any test: those that are to fail name a wait time that is soon over.
	 */
	private final DefaultLockRegistry registry = registry("here", Duration.ofMinutes(1));

	private final DefaultLockRegistry billing = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()), settings("here", SOON), List.of(), List.of(),
			CallerContext.NONE, new Registries("billing", (name) -> this.registry));

	private final DefaultLockRegistry elsewhere = registry("elsewhere", Duration.ZERO);

	private final LockedBeans beans = new LockedBeans(this.registry, Set.of("default", "billing"));

	private static Map<String, String> columns() {
		Map<String, String> columns = new LinkedHashMap<>();
		columns.put("`name`", "name");
		columns.put("`key`", "key");
		columns.put("`key`, several", "severalKeys");
		columns.put("`type`", "type");
		columns.put("`permits`", "permits");
		columns.put("`waitTime`", "waitTime");
		columns.put("`leaseTime`", "leaseTime");
		columns.put("`holdAtLeast`", "holdAtLeast");
		columns.put("`onTimeout` `THROW`", "onTimeoutThrow");
		columns.put("`onTimeout` `SKIP`", "onTimeoutSkip");
		columns.put("`fallback`", "fallback");
		columns.put("`condition`", "condition");
		columns.put("`registry`", "registry");
		columns.put("`fenced`", "fenced");
		return columns;
	}

	private static Map<String, String> kotlin() {
		Map<String, String> kinds = new LinkedHashMap<>();
		kinds.put("`suspend` function", "`null`");
		kinds.put("`Flow`", "empty");
		return kinds;
	}

	static Stream<ResultKind> late() {
		return Arrays.stream(ResultKind.values()).filter(ResultKind::isLate);
	}

	private DefaultLockRegistry registry(String instance, Duration waitTime) {
		return new DefaultLockRegistry(new InMemoryLockBackend(this.store), settings(instance, waitTime), List.of(),
				List.of(), CallerContext.NONE, new Registries("default", (name) -> this.billing));
	}

	private static EngineSettings settings(String instance, Duration waitTime) {
		return new EngineSettings(instance, waitTime, Duration.ofSeconds(30), null, false, 64);
	}

	@AfterEach
	void close() {
		this.beans.close();
		this.registry.close();
		this.elsewhere.close();
		this.billing.close();
	}

	@ParameterizedTest
	@EnumSource
	void holdsLockUntilResultIsThere(ResultKind kind) throws Exception {
		LockedMethod method = method(kind);
		CompletableFuture<Object> result = method.call();
		assertThat(started(method).isValid()).isTrue();
		assertThat(isFree("job")).isFalse();
		assertThat(result).isNotDone();
		method.work.complete("done");
		assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(kind.seen("done"));
		assertThat(isFree("job")).isTrue();
		assertThat(method.runs).hasValue(1);
	}

	@ParameterizedTest
	@EnumSource
	void holdsLockUntilResultHasFailed(ResultKind kind) throws Exception {
		LockedMethod method = method(kind);
		CompletableFuture<Object> result = method.call();
		started(method);
		assertThat(isFree("job")).isFalse();
		IllegalStateException business = new IllegalStateException("business");
		method.work.completeExceptionally(business);
		assertThat(failure(result)).isSameAs(business);
		assertThat(isFree("job")).isTrue();
	}

	@ParameterizedTest
	@MethodSource("late")
	void releasesLockWhenResultIsCancelled(ResultKind kind) throws Exception {
		LockedMethod method = method(kind);
		CompletableFuture<Object> result = method.call();
		started(method);
		result.cancel(true);
		if (kind.fails().equals("failed")) {
			assertThat(isFree("job")).as("while work goes on that is not cancelled with its result").isFalse();
			assertThat(method.work).isNotDone();
			method.work.complete("done");
		}
		await().until(() -> isFree("job"));
		assertThat(method.work).isDone();
	}

	@ParameterizedTest
	@MethodSource("late")
	void withdrawsRequestWhenResultIsCancelled(ResultKind kind) throws Exception {
		try (LockHandle other = this.elsewhere.acquire(LockRequest.of("job"))) {
			LockedMethod method = method(kind, "waitTime", "1m");
			CompletableFuture<Object> result = method.call();
			await().until(() -> this.registry.waitingCount() == 1);
			result.cancel(true);
			await().until(() -> this.registry.waitingCount() == 0);
			assertThat(method.runs).hasValue(0);
		}
	}

	/** Also that the caller is not kept waiting where the result is completed later. */
	@ParameterizedTest
	@EnumSource
	void waitTime(ResultKind kind) throws Exception {
		LockHandle other = this.elsewhere.acquire(LockRequest.of("job"));
		LockedMethod method = method(kind, "waitTime", "1m");
		CompletableFuture<Object> result = method.call();
		await().until(() -> this.registry.waitingCount() == 1);
		assertThat(method.started).isNotDone();
		other.close();
		method.work.complete("done");
		assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(kind.seen("done"));
	}

	@ParameterizedTest
	@EnumSource
	void name(ResultKind kind) throws Exception {
		assertThat(callAndStart(method(kind)).name()).isEqualTo("job");
	}

	@ParameterizedTest
	@EnumSource
	void key(ResultKind kind) throws Exception {
		LockHandle lock = callAndStart(method(kind, "key", "#from + '-' + #p1"));
		assertThat(lock.name()).isEqualTo("job:a-b");
		assertThat(lock.metricName()).isEqualTo("job");
	}

	@ParameterizedTest
	@EnumSource
	void severalKeys(ResultKind kind) throws Exception {
		LockedMethod method = method(kind, "key", "{#to, #from}");
		LockHandle lock = callAndStart(method);
		assertThat(lock.parts()).extracting(LockHandle::name).containsExactly("job:a", "job:b");
		assertThat(isFree("job:a")).isFalse();
		assertThat(isFree("job:b")).isFalse();
		method.work.complete("done");
		await().until(() -> isFree("job:a") && isFree("job:b"));
	}

	@ParameterizedTest
	@EnumSource
	void severalKeysAreTakenAllOrNone(ResultKind kind) throws Exception {
		try (LockHandle other = this.elsewhere.acquire(LockRequest.of("job:b"))) {
			LockedMethod method = method(kind, "key", "{#from, #to}", "waitTime", SHORTLY);
			assertThat(failure(method.call())).isInstanceOf(LockAcquisitionTimeoutException.class);
			assertThat(isFree("job:a")).isTrue();
			assertThat(method.runs).hasValue(0);
		}
	}

	@ParameterizedTest
	@EnumSource
	void type(ResultKind kind) throws Exception {
		LockedMethod reader = method(kind, "type", LockType.READ);
		assertThat(callAndStart(reader).type()).isEqualTo(LockType.READ);
		LockRequest another = LockRequest.of("job").type(LockType.READ);
		this.elsewhere.tryAcquire(another).orElseThrow().close();
		assertThat(isFree("job")).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void permits(ResultKind kind) throws Exception {
		LockRequest another = LockRequest.of("job").permits(2);
		try (LockHandle other = this.elsewhere.acquire(another)) {
			LockedMethod method = method(kind, "permits", "#from.length() + 1");
			LockHandle lock = callAndStart(method);
			assertThat(lock.fencingToken()).isNotEqualTo(other.fencingToken());
			assertThat(this.elsewhere.tryAcquire(another.owner(LockOwner.create("third")))).isEmpty();
			method.work.complete("done");
			await().until(() -> this.registry.heldCount() == 0);
			assertThat(other.isValid()).isTrue();
		}
		assertThat(isFree("job")).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void leaseTime(ResultKind kind) throws Exception {
		callAndStart(method(kind, "leaseTime", "7s"));
		assertThat(this.registry.held()).singleElement().satisfies((held) -> {
			assertThat(held.renewal()).isEqualTo(LockMonitor.RenewalState.FIXED_LEASE);
			assertThat(held.remainingLease()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7));
		});
	}

	@ParameterizedTest
	@EnumSource
	void leaseTimeThatIsTooShort(ResultKind kind) throws Exception {
		LockedMethod method = method(kind, "leaseTime", "100ms");
		CompletableFuture<Object> result = method.call();
		method.started.get(30, TimeUnit.SECONDS);
		await().until(() -> this.registry.held().isEmpty());
		method.work.complete("done");
		assertThat(failure(result)).isInstanceOf(LockLostException.class)
			.hasMessageContaining("The work finished, but its leaseTime of 100ms was shorter than");
	}

	@ParameterizedTest
	@EnumSource
	void holdAtLeast(ResultKind kind) throws Exception {
		LockedMethod method = method(kind, "holdAtLeast", "1m");
		method.work.complete("done");
		assertThat(method.call().get(30, TimeUnit.SECONDS)).isEqualTo(kind.seen("done"));
		assertThat(isFree("job")).as("after the method").isFalse();
		LockedMethod another = method(kind, "waitTime", SHORTLY);
		assertThat(failure(another.call())).isInstanceOf(LockAcquisitionTimeoutException.class);
		assertThat(another.runs).hasValue(0);
		this.registry.forceRelease("job");
		assertThat(isFree("job")).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void releasesLockThatWasHeldForLongEnough(ResultKind kind) throws Exception {
		LockedMethod method = method(kind, "holdAtLeast", "150ms");
		method.work.complete("done");
		long start = System.nanoTime();
		method.call().get(30, TimeUnit.SECONDS);
		await().until(() -> isFree("job"));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(150));
	}

	@ParameterizedTest
	@EnumSource
	void tellsLossOfLockThatWasToBeHeldLonger(ResultKind kind) throws Exception {
		LockedMethod method = method(kind, "holdAtLeast", "1m");
		CompletableFuture<Object> result = method.call();
		LockHandle lock = started(method);
		this.registry.forceRelease("job");
		await().until(() -> !lock.isValid());
		method.work.complete("done");
		assertThat(failure(result)).isInstanceOf(LockLostException.class);
		assertThat(isFree("job")).isTrue();
		assertThat(this.registry.heldCount()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void onTimeoutThrow(ResultKind kind) throws Exception {
		try (LockHandle other = this.elsewhere.acquire(LockRequest.of("job"))) {
			LockedMethod method = method(kind, "waitTime", SHORTLY);
			assertThat(failure(method.call())).isInstanceOf(LockAcquisitionTimeoutException.class)
				.hasMessageContaining("elsewhere");
			assertThat(method.runs).hasValue(0);
		}
	}

	@ParameterizedTest
	@EnumSource
	void onTimeoutSkip(ResultKind kind) throws Exception {
		if (!kind.canBeSkipped()) {
			assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(() -> method(kind, "onTimeout", OnTimeout.SKIP))
				.withMessageContaining("onTimeout = SKIP has no");
			return;
		}
		try (LockHandle other = this.elsewhere.acquire(LockRequest.of("job"))) {
			LockedMethod method = method(kind, "onTimeout", OnTimeout.SKIP, "waitTime", SHORTLY);
			assertThat(method.call().get(30, TimeUnit.SECONDS)).isNull();
			assertThat(method.runs).hasValue(0);
		}
	}

	@ParameterizedTest
	@EnumSource
	void fallback(ResultKind kind) throws Exception {
		LockedMethod method = method(kind, "fallback", "instead", "waitTime", SHORTLY);
		try (LockHandle other = this.elsewhere.acquire(LockRequest.of("job"))) {
			assertThat(method.call().get(30, TimeUnit.SECONDS)).isEqualTo(kind.seen("instead of a-b: job"));
			assertThat(method.runs).hasValue(0);
		}
		method.work.completeExceptionally(new LockAcquisitionTimeoutException("inner", SOON, null));
		assertThat(failure(method.call())).as("the method's own").hasMessageContaining("inner");
	}

	@ParameterizedTest
	@EnumSource
	void condition(ResultKind kind) throws Exception {
		LockedMethod unlocked = method(kind, "condition", "#from != 'a'");
		unlocked.call();
		assertThat(unlocked.started.get(30, TimeUnit.SECONDS)).isNull();
		assertThat(this.registry.held()).isEmpty();
		unlocked.work.complete("done");
		assertThat(callAndStart(method(kind, "condition", "#from == 'a'")).isValid()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void registry(ResultKind kind) throws Exception {
		LockedMethod method = method(kind, "registry", "billing");
		CompletableFuture<Object> result = method.call();
		assertThat(started(method).registry()).isEqualTo("billing");
		assertThat(this.billing.held()).extracting(LockMonitor.Held::name).containsExactly("job");
		assertThat(isFree("job")).as("in the default registry").isTrue();
		method.work.complete("done");
		assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(kind.seen("done"));
		await().until(() -> this.billing.held().isEmpty());
		assertThat(callAndStart(method(kind)).registry()).isEqualTo("default");
	}

	@ParameterizedTest
	@EnumSource
	void fenced(ResultKind kind) throws Exception {
		if (kind.isLate()) {
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> method(kind, "fenced", true))
				.withMessageContaining("fenced = true needs a result that is complete when the method returns");
			return;
		}
		FakeLockFence fence = new FakeLockFence();
		this.beans.bean("fence", LockFence.class, () -> fence);
		LockedMethod method = method(kind, "fenced", true);
		CompletableFuture<Object> result = method.call();
		LockHandle lock = started(method);
		assertThat(fence.events).containsExactly("guard " + lock.name());
		method.work.complete("done");
		assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(kind.seen("done"));
		assertThat(fence.events).containsExactly("guard " + lock.name(), "succeeded", "closed");
		await().until(() -> isFree("job"));
	}

	@ParameterizedTest
	@EnumSource
	void releasesLockWhoseTokenIsRefused(ResultKind kind) {
		if (kind.isLate()) {
			return;
		}
		IllegalStateException refusal = new IllegalStateException("refused");
		FakeLockFence fence = new FakeLockFence(refusal);
		this.beans.bean("fence", LockFence.class, () -> fence);
		LockedMethod method = method(kind, "fenced", true);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> method.call().get(30, TimeUnit.SECONDS))
			.havingRootCause()
			.isSameAs(refusal);
		assertThat(method.runs).hasValue(0);
		await().until(() -> isFree("job"));
	}

	/** A row for each kind, a column for each test above. */
	@Test
	void documentationTellsWhatIsTested() {
		List<List<String>> rows = new ArrayList<>();
		for (ResultKind kind : ResultKind.values()) {
			rows.add(row(kind.label(), kind.waits(), kind.fails(), kind.skipped(), !kind.isLate()));
		}
		KOTLIN.forEach((label, skipped) -> rows.add(row(label, "no thread waits", "exception", skipped, false)));
		GeneratedPage.by(getClass(), "Attributes and kinds of result")
			.text("""
					The table shows the effect of each attribute for each kind of result. Every cell is tested; `KotlinAttributeTests`
					tests the last two rows. *Refused* means that the application does not start. `SKIP` is refused for primitives, for
					`Single`, and for Kotlin functions whose type does not end with `?`, because these results cannot be empty. `fenced` is
					refused for results that complete later, because their transactions end on other threads.""")
			.table(Stream.concat(Stream.of("the method returns"), COLUMNS.keySet().stream()).toList(), rows)
			.text("## Refused results")
			.text("Code outside of the method completes these results after the method has returned. If an annotated method"
					+ " declares one of them, the application does not start: " + refused() + ".")
			.assertIsIn("results.md");
	}

	private static String refused() {
		return Stream.concat(LockOperations.LEFT_TO_OTHERS.stream(), Stream.of(Callable.class.getName()))
			.map((name) -> '`' + name.substring(name.lastIndexOf('.') + 1) + '`')
			.sorted()
			.collect(Collectors.joining(", "));
	}

	private static List<String> row(String label, String waits, String fails, String skipped, boolean fenced) {
		Map<String, String> special = Map.of("waitTime", waits, "onTimeoutThrow", fails, "onTimeoutSkip", skipped,
				"fenced", fenced ? "yes" : "*refused*");
		return Stream
			.concat(Stream.of(label), COLUMNS.values().stream().map((test) -> special.getOrDefault(test, "yes")))
			.toList();
	}

	@Test
	void columnsOfDocumentationAreTestedForAllKinds() throws Exception {
		for (String test : COLUMNS.values()) {
			EnumSource kinds = getClass().getDeclaredMethod(test, ResultKind.class).getAnnotation(EnumSource.class);
			assertThat(kinds).as(test).isNotNull();
			assertThat(kinds.names()).as(test).isEmpty();
		}
		List<String> attributes = Arrays.stream(DistributedLock.class.getDeclaredMethods())
			.map(Method::getName)
			.toList();
		assertThat(attributes).isNotEmpty()
			.allSatisfy((attribute) -> assertThat(COLUMNS.keySet()).anyMatch((column) -> column.contains(attribute)));
	}

	private LockedMethod method(ResultKind kind, Object... attributes) {
		Map<String, Object> all = new LinkedHashMap<>(Map.of("name", "job"));
		for (int i = 0; i < attributes.length; i += 2) {
			all.put((String) attributes[i], attributes[i + 1]);
		}
		return new LockedMethod(this.beans, kind, all);
	}

	private static LockHandle callAndStart(LockedMethod method) throws Exception {
		method.call();
		return started(method);
	}

	private static LockHandle started(LockedMethod method) throws Exception {
		return method.started.get(30, TimeUnit.SECONDS);
	}

	private boolean isFree(String name) throws InterruptedException {
		var lock = this.elsewhere.tryAcquire(LockRequest.of(name));
		lock.ifPresent(LockHandle::close);
		return lock.isPresent();
	}

	private static Throwable failure(CompletableFuture<Object> result) throws InterruptedException, TimeoutException {
		try {
			result.get(30, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			return ex.getCause();
		}
		throw new AssertionError("No failure");
	}

}
