package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.core.LockContext
import io.lockstarter.core.LockRegistry
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import reactor.core.publisher.Mono

/**
 * Tests for blocks under a lock and annotated methods that call each other.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WithLockAndMethodsTests {

	private val applications = TwoApplications(Methods::class.java)

	private val registry = applications.bean<LockRegistry>()

	private val methods = applications.bean<Methods>()

	@AfterEach
	fun nothingIsLeft() {
		await().until { applications.monitor.held().isEmpty() && applications.monitor.waiting().isEmpty() }
	}

	@AfterAll
	fun close() = applications.close()

	@Test
	fun blockExcludesOtherApplication() = runBlocking<Unit> {
		registry.withLock("shared") { assertThat(applications.isFree("shared")).isFalse() }
		assertThat(applications.isFree("shared")).isTrue()
	}

	@Test
	fun methodsReenterInBlock() = runBlocking<Unit> {
		registry.withLock("shared") {
			delay(5)
			assertThat(methods.suspending { "inner" }).isEqualTo("inner in shared")
			assertThat(withContext(Dispatchers.IO) { methods.blocking() }).isEqualTo("blocking in shared")
			assertThat(methods.flowing { "inner" }.single()).isEqualTo("inner in shared")
			assertThat(methods.publisher { "inner" }.awaitSingle()).isEqualTo("inner in shared")
		}
	}

	@Test
	fun blockReentersInSuspendFunction() = runBlocking<Unit> {
		assertThat(methods.suspending(this@WithLockAndMethodsTests::again)).isEqualTo("shared in shared")
	}

	@Test
	fun blockReentersInFlow() = runBlocking<Unit> {
		assertThat(methods.flowing(this@WithLockAndMethodsTests::again).single()).isEqualTo("shared in shared")
	}

	@Test
	fun blockReentersInPublisher() = runBlocking<Unit> {
		assertThat(methods.publisher(this@WithLockAndMethodsTests::again).awaitSingle()).isEqualTo("shared in shared")
	}

	private suspend fun again(): String {
		delay(5)
		return registry.withLock("shared") { it.name() }
	}

	open class Methods {

		@DistributedLock(name = "shared")
		open suspend fun suspending(work: suspend () -> String): String = work() + " in " + LockContext.current().name()

		@DistributedLock(name = "shared")
		open fun blocking(): String = "blocking in " + LockContext.current().name()

		@DistributedLock(name = "shared")
		open fun flowing(work: suspend () -> String): Flow<String> =
			flow { emit(work() + " in " + LockContext.current().name()) }

		@DistributedLock(name = "shared")
		open fun publisher(work: suspend () -> String): Mono<String> {
			val lock = LockContext.current().name()
			return mono { work() + " in " + lock }
		}

	}

}
