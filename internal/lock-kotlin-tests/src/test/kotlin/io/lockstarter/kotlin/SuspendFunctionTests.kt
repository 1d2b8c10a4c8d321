package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.core.LockAcquisitionTimeoutException
import io.lockstarter.core.LockContext
import io.lockstarter.core.LockHandle
import io.lockstarter.core.LockRequest
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CopyOnWriteArrayList

/**
 * Tests for suspend functions under a lock.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SuspendFunctionTests {

	private val applications = TwoApplications(Gate::class.java, Work::class.java, Outer::class.java, Inner::class.java)

	private val outer = applications.bean<Outer>()

	private val inner = applications.bean<Inner>()

	private val work = applications.bean<Work>()

	private val gate = applications.bean<Gate>()

	private val scope = CoroutineScope(Dispatchers.Default)

	@BeforeEach
	fun closeGate() = gate.close()

	@AfterEach
	fun nothingIsLeft() {
		await().until { applications.monitor.held().isEmpty() && applications.monitor.waiting().isEmpty() }
		await().until { (applications.redis.cli("KEYS", "lock:{*}") as List<*>).isEmpty() }
	}

	@AfterAll
	fun close() {
		scope.cancel()
		applications.close()
	}

	@Test
	fun holdsLockUntilFunctionHasEnded() = runBlocking<Unit> {
		val result = scope.async { work.run("a") }
		assertThat(gate.started.await()?.name()).isEqualTo("work:a")
		assertThat(applications.isFree("work:a")).isFalse()
		assertThat(result.isCompleted).isFalse()
		gate.end.complete("done")
		assertThat(result.await()).isEqualTo("done")
		assertThat(applications.isFree("work:a")).isTrue()
	}

	@Test
	fun releasesLockWhenFunctionThrows() = runBlocking<Unit> {
		gate.end.completeExceptionally(IllegalStateException("business"))
		val failure = runCatching { work.run("a") }.exceptionOrNull()
		assertThat(failure).isInstanceOf(IllegalStateException::class.java).hasMessage("business")
		assertThat(applications.isFree("work:a")).isTrue()
	}

	@Test
	fun releasesLockWhenCallerIsCancelled() = runBlocking<Unit> {
		val call = scope.launch { work.run("a") }
		gate.started.await()
		call.cancel()
		await().until { applications.isFree("work:a") }
		assertThat(gate.ended.await()).isInstanceOf(CancellationException::class.java)
	}

	@Test
	fun releasesLockWhenCallerRunsOutOfTime() = runBlocking<Unit> {
		val failure = runCatching { withTimeout(100) { work.run("a") } }.exceptionOrNull()
		assertThat(failure).isInstanceOf(TimeoutCancellationException::class.java)
		await().until { applications.isFree("work:a") }
	}

	/** A cancelled coroutine goes on until it comes to a point of suspension, and cleans up after that. */
	@Test
	fun keepsLockWhileCancelledFunctionCleansUp() = runBlocking<Unit> {
		val call = scope.launch { work.runAndCleanUp() }
		gate.started.await()
		call.cancel()
		gate.cleaning.await()
		repeat(20) {
			assertThat(applications.isFree("cleaning")).isFalse()
			delay(10)
		}
		gate.end.complete("cleaned")
		await().until { applications.isFree("cleaning") }
	}

	@Test
	fun cancelledCallerGoesOnAfterCleanUp() = runBlocking<Unit> {
		val events = CopyOnWriteArrayList<String>()
		val caller = Dispatchers.Default.limitedParallelism(1)
		val call = scope.launch(caller) { work.runAndCleanUp() }
		gate.started.await()
		// The call has suspended once its dispatcher is free
		withContext(caller) {}
		val canceller = scope.launch {
			call.cancelAndJoin()
			events += "went on"
		}
		gate.cleaning.await()
		try {
			repeat(20) {
				delay(5)
				assertThat(canceller.isCompleted).isFalse()
			}
			events += "cleaned"
		}
		finally {
			gate.end.complete("cleaned")
		}
		canceller.join()
		assertThat(events).containsExactly("cleaned", "went on")
		assertThat(applications.monitor.held()).isEmpty()
	}

	@Test
	fun withdrawsRequestWhenCallerIsCancelled() = runBlocking<Unit> {
		applications.locks.acquire(LockRequest.of("work:a")).use {
			val call = scope.launch { work.runPatiently("a") }
			await().until { applications.monitor.waiting().size == 1 }
			call.cancel()
			await().until { applications.monitor.waiting().isEmpty() }
			assertThat(gate.started.isCompleted).isFalse()
		}
	}

	@Test
	fun cancellationAtAnyTimeLeavesNothingBehind() = runBlocking<Unit> {
		val calls = (0 until 200).map {
			val call = scope.launch { inner.counted() }
			scope.launch {
				delay(it.toLong() % 50)
				call.cancel()
			}
			call
		}
		inner.counted()
		calls.forEach { it.join() }
		await().until { inner.holders.isEmpty() }
		assertThat(inner.overlaps).isEmpty()
	}

	@Test
	fun throwsWhenLockIsNotFreeInTime() = runBlocking<Unit> {
		applications.locks.acquire(LockRequest.of("work:a")).use {
			val failure = runCatching { work.run("a") }.exceptionOrNull()
			assertThat(failure).isInstanceOf(LockAcquisitionTimeoutException::class.java)
				.hasMessageContaining("'work:a' of registry 'default' was not acquired within")
		}
		assertThat(gate.started.isCompleted).isFalse()
	}

	/** All calls wait on the one thread that they share with the one that holds the lock. */
	@Test
	fun waitingBlocksNoThread() = runBlocking<Unit> {
		val calls = (1..20).map { async { inner.counted() } }
		assertThat(calls.awaitAll()).hasSize(20)
		assertThat(inner.overlaps).isEmpty()
	}

	@Test
	fun locksKeyOfParameter() = runBlocking<Unit> {
		assertThat(work.byPosition("x", 7)).isEqualTo("byPosition:x-7-2")
	}

	@Test
	fun contextTellsLockOnWhateverThreadFunctionGoesOn() = runBlocking<Unit> {
		assertThat(outer.current()).containsExactly("shared", "shared", "shared", "shared")
		assertThat(LockContext.find()).isEmpty()
		withContext(Dispatchers.Default) { assertThat(LockContext.find()).isEmpty() }
	}

	@Test
	fun reentersInSuspendFunction() = runBlocking<Unit> {
		assertThat(outer.suspending()).isEqualTo("inner in shared")
	}

	@Test
	fun reentersAfterSuspensionOnAnotherDispatcher() = runBlocking<Unit> {
		assertThat(outer.suspendingElsewhere()).isEqualTo("inner in shared")
	}

	@Test
	fun reentersInBlockingMethod() = runBlocking<Unit> {
		assertThat(outer.blocking()).isEqualTo("inner in shared")
	}

	/** Both would run at once if the second were taken for a part of the first. */
	@Test
	fun callsDoNotReenterEachOther() = runBlocking<Unit> {
		val first = scope.launch { work.run("a") }
		gate.started.await()
		assertThatExceptionOfType(LockAcquisitionTimeoutException::class.java)
			.isThrownBy { runBlocking { work.run("a") } }
		gate.end.complete("done")
		first.join()
	}

	open class Work(private val gate: Gate) {

		@DistributedLock(name = "work", key = "#id")
		open suspend fun run(id: String): String {
			check(id.isNotEmpty())
			return gate.work()
		}

		@DistributedLock(name = "work", key = "#id", waitTime = "1m")
		open suspend fun runPatiently(id: String): String = run(id)

		@DistributedLock(name = "cleaning")
		open suspend fun runAndCleanUp() {
			gate.workAndCleanUp()
		}

		@DistributedLock(name = "byPosition", key = "#p0 + '-' + #a1 + '-' + #root.args.size()")
		open suspend fun byPosition(id: String, count: Int): String {
			check(id.isNotEmpty() && count > 0)
			return LockContext.current().name()
		}

	}

	open class Outer(private val inner: Inner) {

		@DistributedLock(name = "shared")
		open suspend fun current(): List<String> {
			val names = mutableListOf(LockContext.current().name())
			delay(20)
			names += LockContext.current().name()
			withContext(Dispatchers.IO) { names += LockContext.current().name() }
			names += LockContext.current().name()
			return names
		}

		@DistributedLock(name = "shared")
		open suspend fun suspending(): String = inner.suspending()

		@DistributedLock(name = "shared")
		open suspend fun suspendingElsewhere(): String {
			delay(20)
			return withContext(Dispatchers.IO) { inner.suspending() }
		}

		@DistributedLock(name = "shared")
		open suspend fun blocking(): String {
			delay(20)
			return inner.blocking()
		}

	}

	open class Inner {

		open val holders: MutableSet<LockHandle> = ConcurrentHashMap.newKeySet()

		open val overlaps = CopyOnWriteArrayList<String>()

		@DistributedLock(name = "shared", waitTime = "0")
		open suspend fun suspending(): String {
			delay(10)
			return "inner in " + LockContext.current().name()
		}

		@DistributedLock(name = "shared", waitTime = "0")
		open fun blocking(): String = "inner in " + LockContext.current().name()

		@DistributedLock(name = "counted", waitTime = "1m")
		open suspend fun counted() {
			val lock = LockContext.current()
			holders += lock
			try {
				(holders - lock).forEach { overlaps += "$lock, while there is $it" }
				delay(3)
			}
			finally {
				holders -= lock
			}
		}

	}

}
