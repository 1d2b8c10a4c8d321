package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.annotation.OnTimeout
import io.lockstarter.aop.InvalidLockAnnotationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emptyFlow
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatCode
import org.assertj.core.api.Assertions.catchThrowable
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.boot.WebApplicationType
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.scheduling.annotation.Async
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.util.Optional
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.Future
import java.util.stream.Stream

/**
 * Tests for annotated functions that can never work, which fail when their bean is created, and for some that look like
 * it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KotlinStartupTests {

	private val application = SpringApplicationBuilder(TwoApplications.Application::class.java)
		.web(WebApplicationType.NONE)
		.properties("distributed-lock.backend=in-memory", "spring.main.banner-mode=off")
		.run()

	@AfterAll
	fun close() = application.close()

	@Test
	fun refusesUnknownParameterWithoutNamingContinuation() {
		assertThat(failure(UnknownParameter::class.java)).isEqualTo("@DistributedLock on method "
			+ "io.lockstarter.kotlin.KotlinStartupTests\$UnknownParameter.run(String): key = \"#ordr\": '#ordr' is not a "
			+ "parameter of the method; use one of #a0, #order, #p0, #root.target, #root.method")
	}

	@Test
	fun refusesContinuationAsParameter() {
		assertThat(failure(ContinuationAsKey::class.java)).contains("'#p1' is not a parameter of the method")
	}

	@ParameterizedTest
	@ValueSource(classes = [FencedSuspend::class, FencedFlow::class])
	fun refusesFencedFunctionsThatGoOnOnOtherThreads(type: Class<*>) {
		assertThat(failure(type))
			.contains("fenced = true needs a result that is complete when the method returns")
			.contains("io.lockstarter.fence.Fence")
	}

	@Test
	fun refusesFallbackThatDoesNotSuspend() {
		assertThat(failure(PlainFallback::class.java))
			.contains("fallback = \"busy\" is not a suspend function of " + PlainFallback::class.java.name
				+ " that can be called with (String); there is only ")
	}

	@ParameterizedTest
	@ValueSource(classes = [SkippedInt::class, SkippedString::class, SkippedPlain::class])
	fun refusesSkippingResultThatIsNeverNull(type: Class<*>) {
		assertThat(failure(type)).contains("onTimeout = SKIP has no value to return as ")
			.contains(", which is never null; let the function return ")
			.contains("?, which is null when skipped, or use onTimeout = THROW")
	}

	@ParameterizedTest
	@CsvSource("Deferred, ReturnsDeferred", "Job, ReturnsJob")
	fun refusesWhatGoesOnLater(result: String, type: String) {
		assertThat(failure(named(type)))
			.contains("its result ($result) is completed later, in a way that is not supported")
	}

	@ParameterizedTest
	@CsvSource("Sequence, ReturnsSequence", "Sequence, SuspendsForSequence", "Stream, SuspendsForStream",
		"Callable, SuspendsForCallable", "ReceiveChannel, ReturnsChannel", "Channel, SuspendsForChannel")
	fun refusesWhatOthersWorkOut(result: String, type: String) {
		assertThat(failure(named(type)))
			.contains("run(): its result ($result) is computed by its receiver, after the lock was released; "
				+ "return a result that is computed under the lock, such as a List")
	}

	@ParameterizedTest
	@CsvSource("CompletableFuture, SuspendsForCompletableFuture", "CompletionStage, SuspendsForCompletionStage",
		"Future, SuspendsForFuture", "Future, SuspendsForAsyncFuture", "Mono, SuspendsForMono", "Flux, SuspendsForFlux",
		"Flow, SuspendsForFlow", "Flow, SuspendsForNullableFlow", "Flow, SuspendsForInheritedFlow")
	fun refusesSuspendFunctionWhoseResultGoesOn(result: String, type: String) {
		assertThat(failure(named(type)))
			.contains("run(): its result ($result) continues after the suspend function has ended and the lock was released; "
				+ "declare the function without suspend, or let the function wait for the end and return the value")
	}

	@ParameterizedTest
	@CsvSource("Deferred, SuspendsForDeferred", "CompletableDeferred, SuspendsForCompletableDeferred",
		"Job, SuspendsForJob")
	fun refusesSuspendFunctionWhoseResultGoesOnEvenWithoutSuspend(result: String, type: String) {
		assertThat(failure(named(type)))
			.contains("run(): its result ($result) continues after the suspend function has ended and the lock was released; "
				+ "let the function wait for the end and return the value")
	}

	@ParameterizedTest
	@ValueSource(classes = [FinalFunction::class, FinalClass::class])
	fun refusesWhatNoProxyCanExtend(type: Class<*>) {
		assertThat(failure(type)).contains("final")
	}

	@Test
	fun acceptsSuspendFunctionThatReturnsValue() {
		assertThatCode { create(SuspendsForValue::class.java) }.doesNotThrowAnyException()
	}

	@Test
	fun acceptsSkippingWhatMayBeEmpty() {
		assertThatCode { create(Skippable::class.java) }.doesNotThrowAnyException()
	}

	private fun named(type: String): Class<*> = Class.forName(KotlinStartupTests::class.java.name + "$" + type)

	private fun failure(type: Class<*>): String {
		var failure: Throwable? = catchThrowable { create(type) }
		while (failure != null && failure !is InvalidLockAnnotationException) {
			failure = failure.cause
		}
		assertThat(failure).`as`("failure of %s", type).isNotNull()
		return failure!!.message!!
	}

	private fun create(type: Class<*>): Any = application.autowireCapableBeanFactory.createBean(type)

	@Suppress("UNUSED_PARAMETER")
	open class UnknownParameter {

		@DistributedLock(key = "#ordr")
		open suspend fun run(order: String) {
		}

	}

	open class FencedSuspend {

		@DistributedLock(fenced = true)
		open suspend fun run() {
		}

	}

	open class FencedFlow {

		@DistributedLock(fenced = true)
		open fun run(): Flow<String> = emptyFlow()

	}

	@Suppress("UNUSED_PARAMETER")
	open class ContinuationAsKey {

		@DistributedLock(key = "#p1")
		open suspend fun run(order: String) {
		}

	}

	@Suppress("UNUSED_PARAMETER")
	open class PlainFallback {

		@DistributedLock(fallback = "busy")
		open suspend fun run(order: String): String = "done"

		open fun busy(order: String): String = "busy"

	}

	open class SkippedInt {

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open suspend fun run(): Int = 1

	}

	open class SkippedString {

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open suspend fun run(): String = "done"

	}

	open class SkippedPlain {

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open fun run(): String = "done"

	}

	open class ReturnsDeferred {

		@DistributedLock
		open fun run(): Deferred<String> = CompletableDeferred("done")

	}

	open class ReturnsJob {

		@DistributedLock
		open fun run(): Job = Job()

	}

	open class ReturnsSequence {

		@DistributedLock
		open fun run(): Sequence<String> = emptySequence()

	}

	open class SuspendsForSequence {

		@DistributedLock
		open suspend fun run(): Sequence<String> = emptySequence()

	}

	open class ReturnsChannel {

		@DistributedLock
		open fun run(): ReceiveChannel<String> = Channel()

	}

	open class SuspendsForChannel {

		@DistributedLock
		open suspend fun run(): Channel<String> = Channel()

	}

	open class SuspendsForStream {

		@DistributedLock
		open suspend fun run(): Stream<String> = Stream.empty()

	}

	open class SuspendsForCallable {

		@DistributedLock
		open suspend fun run(): Callable<String> = Callable { "done" }

	}

	open class SuspendsForCompletableFuture {

		@DistributedLock
		open suspend fun run(): CompletableFuture<String> = CompletableFuture.completedFuture("done")

	}

	open class SuspendsForCompletionStage {

		@DistributedLock
		open suspend fun run(): CompletionStage<String> = CompletableFuture.completedFuture("done")

	}

	open class SuspendsForFuture {

		@DistributedLock
		open suspend fun run(): Future<String> = CompletableFuture.completedFuture("done")

	}

	open class SuspendsForAsyncFuture {

		@Async
		@DistributedLock
		open suspend fun run(): Future<String> = CompletableFuture.completedFuture("done")

	}

	open class SuspendsForMono {

		@DistributedLock
		open suspend fun run(): Mono<String> = Mono.empty()

	}

	open class SuspendsForFlux {

		@DistributedLock
		open suspend fun run(): Flux<String> = Flux.empty()

	}

	open class SuspendsForFlow {

		@DistributedLock
		open suspend fun run(): Flow<String> = emptyFlow()

	}

	open class SuspendsForNullableFlow {

		@DistributedLock
		open suspend fun run(): Flow<String>? = null

	}

	open class SuspendsForDeferred {

		@DistributedLock
		open suspend fun run(): Deferred<String> = CompletableDeferred("done")

	}

	open class SuspendsForCompletableDeferred {

		@DistributedLock
		open suspend fun run(): CompletableDeferred<String> = CompletableDeferred("done")

	}

	open class SuspendsForJob {

		@DistributedLock
		open suspend fun run(): Job = Job()

	}

	abstract class Inherited<T>(private val result: T) {

		@DistributedLock
		open suspend fun run(): T = result

	}

	open class SuspendsForInheritedFlow : Inherited<Flow<String>>(emptyFlow())

	open class SuspendsForValue : Inherited<String>("done") {

		@DistributedLock
		open suspend fun list(): List<String> = listOf("done")

		@DistributedLock
		open suspend fun iterator(): Iterator<String> = list().iterator()

		@DistributedLock
		open suspend fun any(): Any = emptySequence<String>()

		@DistributedLock
		open suspend fun <T> some(): T? = null

		@DistributedLock
		open suspend fun nothing() {
		}

	}

	open class FinalFunction {

		@DistributedLock
		suspend fun run() {
		}

	}

	class FinalClass {

		@DistributedLock
		suspend fun run() {
		}

	}

	open class Skippable {

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open suspend fun nullable(): Int? = 1

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open suspend fun nothing() {
		}

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open fun plainNullable(): String? = "done"

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open fun plainNothing() {
		}

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open fun optional(): Optional<String> = Optional.of("done")

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		open fun flow(): Flow<String>? = null

	}

}
