package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.annotation.OnFailure
import io.lockstarter.aop.InvalidLockAnnotationException
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.flow.Flow
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatCode
import org.assertj.core.api.Assertions.catchThrowable
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.boot.WebApplicationType
import org.springframework.boot.builder.SpringApplicationBuilder
import java.util.Optional

/**
 * Tests for annotated functions that can never work, and for some that look like it.
 */
class KotlinStartupTests {

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

	@Test
	fun refusesFallbackThatDoesNotSuspend() {
		assertThat(failure(PlainFallback::class.java))
			.contains("fallback = \"busy\" is not a suspend function of " + PlainFallback::class.java.name
				+ " that can be called with (String); there is only ")
	}

	@ParameterizedTest
	@ValueSource(classes = [SkippedInt::class, SkippedString::class, SkippedPlain::class])
	fun refusesSkippingResultThatIsNeverNull(type: Class<*>) {
		assertThat(failure(type)).contains("onFailure = SKIP has no value to return as ")
			.contains(", which is never null; let the function return ")
			.contains("?, which is null when skipped, or use onFailure = THROW")
	}

	@Test
	fun refusesDeferred() {
		assertThat(failure(ReturnsDeferred::class.java))
			.contains("its result (Deferred) is completed later, in a way that is not known here")
	}

	@ParameterizedTest
	@ValueSource(classes = [FinalFunction::class, FinalClass::class])
	fun refusesWhatNoProxyCanExtend(type: Class<*>) {
		assertThat(failure(type)).contains("final")
	}

	@Test
	fun acceptsSkippingWhatMayBeEmpty() {
		assertThatCode { start(Skippable::class.java) }.doesNotThrowAnyException()
	}

	private fun failure(type: Class<*>): String {
		var failure: Throwable? = catchThrowable { start(type) }
		while (failure != null && failure !is InvalidLockAnnotationException) {
			failure = failure.cause
		}
		assertThat(failure).`as`("failure of %s", type).isNotNull()
		return failure!!.message!!
	}

	private fun start(type: Class<*>) =
		SpringApplicationBuilder(TwoApplications.Application::class.java, type)
			.web(WebApplicationType.NONE)
			.properties("distributed-lock.backend=in-memory", "spring.main.banner-mode=off", "logging.level.root=OFF")
			.run()
			.close()

	@Suppress("UNUSED_PARAMETER")
	open class UnknownParameter {

		@DistributedLock(key = "#ordr")
		open suspend fun run(order: String) {
		}

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

		@DistributedLock(onFailure = OnFailure.SKIP)
		open suspend fun run(): Int = 1

	}

	open class SkippedString {

		@DistributedLock(onFailure = OnFailure.SKIP)
		open suspend fun run(): String = "done"

	}

	open class SkippedPlain {

		@DistributedLock(onFailure = OnFailure.SKIP)
		open fun run(): String = "done"

	}

	open class ReturnsDeferred {

		@DistributedLock
		open fun run(): Deferred<String> = kotlinx.coroutines.CompletableDeferred("done")

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

		@DistributedLock(onFailure = OnFailure.SKIP)
		open suspend fun nullable(): Int? = 1

		@DistributedLock(onFailure = OnFailure.SKIP)
		open suspend fun nothing() {
		}

		@DistributedLock(onFailure = OnFailure.SKIP)
		open fun plainNullable(): String? = "done"

		@DistributedLock(onFailure = OnFailure.SKIP)
		open fun plainNothing() {
		}

		@DistributedLock(onFailure = OnFailure.SKIP)
		open fun optional(): Optional<String> = Optional.of("done")

		@DistributedLock(onFailure = OnFailure.SKIP)
		open fun flow(): Flow<String>? = null

	}

}
