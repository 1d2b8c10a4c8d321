package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.annotation.OnTimeout
import io.lockstarter.core.LockAcquisitionTimeoutException
import io.lockstarter.core.LockHandle
import io.lockstarter.core.LockMonitor
import io.lockstarter.core.LockOwner
import io.lockstarter.core.LockRequest
import io.lockstarter.core.LockType
import io.lockstarter.testing.GeneratedPage
import io.lockstarter.testing.MarkdownTable
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.singleOrNull
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import java.time.Duration

/**
 * Tests for every attribute with Kotlin's kinds of result.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KotlinAttributeTests {

	private val applications = TwoApplications(Gate::class.java, Attributes::class.java)

	private val attributes = applications.bean<Attributes>()

	private val gate = applications.bean<Gate>()

	private val scope = CoroutineScope(Dispatchers.Default)

	@BeforeEach
	fun closeGate() {
		gate.close()
		await().until { applications.monitor.held().isEmpty() }
	}

	@AfterAll
	fun close() {
		scope.cancel()
		applications.close()
	}

	@ParameterizedTest
	@EnumSource
	fun name(kind: Kind) {
		assertThat(lockOf(kind, attributes::name, attributes::nameOfFlow).name()).isEqualTo("job")
	}

	@ParameterizedTest
	@EnumSource
	fun key(kind: Kind) {
		assertThat(lockOf(kind, attributes::key, attributes::keyOfFlow).name()).isEqualTo("job:a-b")
	}

	@ParameterizedTest
	@EnumSource
	fun severalKeys(kind: Kind) {
		val lock = lockOf(kind, attributes::severalKeys, attributes::severalKeysOfFlow)
		assertThat(lock.parts().map { it.name() }).containsExactly("job:a", "job:b")
	}

	@ParameterizedTest
	@EnumSource
	fun type(kind: Kind) {
		assertThat(lockOf(kind, attributes::type, attributes::typeOfFlow).type()).isEqualTo(LockType.READ)
	}

	@ParameterizedTest
	@EnumSource
	fun permits(kind: Kind) {
		val other = LockRequest.of("job").permits(2)
		applications.locks.acquire(other).use {
			lockOf(kind, attributes::permits, attributes::permitsOfFlow) {
				assertThat(applications.locks.tryAcquire(other.owner(LockOwner.create("third")))).isEmpty()
			}
		}
	}

	/** The one thread of `runBlocking` goes on while the lock is waited for. */
	@ParameterizedTest
	@EnumSource
	fun waitTime(kind: Kind) = runBlocking<Unit> {
		gate.end.complete("done")
		val other = applications.locks.acquire(LockRequest.of("job"))
		val result = async { call(kind, attributes::waitTime, attributes::waitTimeOfFlow) }
		val waiting = async(Dispatchers.IO) { await().until { applications.monitor.waiting().size == 1 } }
		waiting.await()
		other.close()
		assertThat(result.await()).isEqualTo("done")
	}

	@ParameterizedTest
	@EnumSource
	fun leaseTime(kind: Kind) {
		lockOf(kind, attributes::leaseTime, attributes::leaseTimeOfFlow) {
			assertThat(applications.monitor.held()).singleElement().satisfies({
				assertThat(it.renewal()).isEqualTo(LockMonitor.RenewalState.FIXED_LEASE)
				assertThat(it.remainingLease()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7))
			})
		}
	}

	@ParameterizedTest
	@EnumSource
	fun holdAtLeast(kind: Kind) = runBlocking<Unit> {
		gate.end.complete("done")
		val start = System.nanoTime()
		assertThat(call(kind, attributes::holdAtLeast, attributes::holdAtLeastOfFlow)).isEqualTo("done")
		assertThat(applications.isFree("job")).isFalse()
		await().until { applications.isFree("job") }
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2))
	}

	@ParameterizedTest
	@EnumSource
	fun onFailureThrow(kind: Kind) = whileHeld {
		val failure = runCatching { call(kind, attributes::name, attributes::nameOfFlow) }.exceptionOrNull()
		assertThat(failure).isInstanceOf(LockAcquisitionTimeoutException::class.java)
	}

	@ParameterizedTest
	@EnumSource
	fun onFailureSkip(kind: Kind) = whileHeld {
		assertThat(call(kind, attributes::onFailureSkip, attributes::onFailureSkipOfFlow)).isNull()
	}

	@ParameterizedTest
	@EnumSource
	fun fallback(kind: Kind) = whileHeld {
		assertThat(call(kind, attributes::fallback, attributes::fallbackOfFlow)).isEqualTo("instead of a-b: job")
	}

	@ParameterizedTest
	@EnumSource
	fun condition(kind: Kind) = whileHeld {
		gate.end.complete("done")
		assertThat(call(kind, attributes::condition, attributes::conditionOfFlow)).isEqualTo("done")
		assertThat(gate.started.await()).isNull()
	}

	@ParameterizedTest
	@EnumSource
	fun registry(kind: Kind) = whileHeld {
		assertThat(lockOf(kind, attributes::registry, attributes::registryOfFlow).registry()).isEqualTo("billing")
	}

	@Test
	fun skipsFunctionWithoutResult() = runBlocking<Unit> {
		applications.locks.acquire(LockRequest.of("job")).use { attributes.skippedUnit() }
		assertThat(gate.started.isCompleted).isFalse()
		gate.end.complete("done")
		attributes.skippedUnit()
		assertThat(gate.started.isCompleted).isTrue()
	}

	@Test
	fun documentationTellsWhatIsTested() {
		val rows = MarkdownTable.below("# Attributes and kinds of result", GeneratedPage.FOLDER.resolve("results.md")).rows()
		for (kind in Kind.entries) {
			assertThat(rows[kind.label]).containsExactly("yes", "yes", "yes", "yes", "yes", "no thread waits", "yes", "yes",
				"exception", kind.skipped, "yes", "yes", "yes", "*refused*")
		}
	}

	private fun lockOf(kind: Kind, suspending: suspend (String, String) -> String?, flow: (String, String) -> Flow<String>,
			check: () -> Unit = {}): LockHandle = runBlocking {
		val result = scope.async { call(kind, suspending, flow) }
		val lock = gate.started.await()!!
		assertThat(lock.isValid).isTrue()
		check()
		gate.end.complete("done")
		assertThat(result.await()).isEqualTo("done")
		lock
	}

	private fun whileHeld(work: suspend () -> Unit) = runBlocking<Unit> {
		applications.locks.acquire(LockRequest.of("job")).use { work() }
	}

	private suspend fun call(kind: Kind, suspending: suspend (String, String) -> String?,
			flow: (String, String) -> Flow<String>): String? = when (kind) {
		Kind.SUSPEND_FUNCTION -> suspending("a", "b")
		Kind.FLOW -> flow("a", "b").singleOrNull()
	}

	/** A kind of result, as the documentation has it. */
	enum class Kind(val label: String, val skipped: String) {

		SUSPEND_FUNCTION("`suspend` function", "`null`"),

		FLOW("`Flow`", "empty")

	}

	@Suppress("UNUSED_PARAMETER")
	open class Attributes(private val gate: Gate) {

		private fun work(): Flow<String> = flow { emit(gate.work()) }

		@DistributedLock(name = "job")
		open suspend fun name(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job")
		open fun nameOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", key = "#from + '-' + #p1")
		open suspend fun key(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", key = "#from + '-' + #p1")
		open fun keyOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", registry = "billing")
		open suspend fun registry(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", registry = "billing")
		open fun registryOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", key = "{#to, #from}")
		open suspend fun severalKeys(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", key = "{#to, #from}")
		open fun severalKeysOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", type = LockType.READ)
		open suspend fun type(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", type = LockType.READ)
		open fun typeOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", waitTime = "1m")
		open suspend fun waitTime(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", waitTime = "1m")
		open fun waitTimeOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", permits = "#to.length() + 1")
		open suspend fun permits(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", permits = "#to.length() + 1")
		open fun permitsOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", leaseTime = "7s")
		open suspend fun leaseTime(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", leaseTime = "7s")
		open fun leaseTimeOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", holdAtLeast = "2s")
		open suspend fun holdAtLeast(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", holdAtLeast = "2s")
		open fun holdAtLeastOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", onTimeout = OnTimeout.SKIP)
		open suspend fun onFailureSkip(from: String, to: String): String? = gate.work()

		@DistributedLock(name = "job", onTimeout = OnTimeout.SKIP)
		open fun onFailureSkipOfFlow(from: String, to: String): Flow<String> = work()

		@DistributedLock(name = "job", onTimeout = OnTimeout.SKIP)
		open suspend fun skippedUnit() {
			gate.work()
		}

		@DistributedLock(name = "job", fallback = "instead")
		open suspend fun fallback(from: String, to: String): String = gate.work()

		private suspend fun instead(from: String, to: String, ex: LockAcquisitionTimeoutException): String {
			kotlinx.coroutines.delay(5)
			return "instead of $from-$to: ${ex.lockName()}"
		}

		@DistributedLock(name = "job", fallback = "insteadOfFlow")
		open fun fallbackOfFlow(from: String, to: String): Flow<String> = work()

		open fun insteadOfFlow(from: String, to: String, ex: LockAcquisitionTimeoutException): Flow<String> =
			flowOf("instead of $from-$to: ${ex.lockName()}")

		@DistributedLock(name = "job", condition = "#from != 'a'")
		open suspend fun condition(from: String, to: String): String = gate.work()

		@DistributedLock(name = "job", condition = "#from != 'a'")
		open fun conditionOfFlow(from: String, to: String): Flow<String> = work()

	}

}
