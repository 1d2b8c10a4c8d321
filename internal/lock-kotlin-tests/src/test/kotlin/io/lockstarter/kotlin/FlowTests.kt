package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.core.LockAcquisitionTimeoutException
import io.lockstarter.core.LockContext
import io.lockstarter.core.LockRequest
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import java.util.concurrent.CopyOnWriteArrayList

/**
 * Tests for flows under a lock.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlowTests {

	private val applications = TwoApplications(Gate::class.java, Work::class.java, Outer::class.java)

	private val work = applications.bean<Work>()

	private val outer = applications.bean<Outer>()

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
	fun holdsLockFromCollectionToCompletion() = runBlocking<Unit> {
		val flow = work.gated("a")
		assertThat(applications.isFree("flow:a")).`as`("before it is collected").isTrue()
		val result = scope.async { flow.toList() }
		assertThat(gate.started.await()?.name()).isEqualTo("flow:a")
		assertThat(applications.isFree("flow:a")).isFalse()
		gate.end.complete("last")
		assertThat(result.await()).containsExactly("first", "last")
		assertThat(applications.isFree("flow:a")).isTrue()
	}

	@Test
	fun takesLockForEachCollection() = runBlocking<Unit> {
		val flow = work.tokens()
		val first = flow.toList()
		val second = flow.toList()
		assertThat(first.toSet()).hasSize(1)
		assertThat(second.toSet()).hasSize(1)
		assertThat(second[0]).isGreaterThan(first[0])
	}

	@Test
	fun releasesLockOnError() = runBlocking<Unit> {
		gate.end.completeExceptionally(IllegalStateException("business"))
		val failure = runCatching { work.gated("a").collect() }.exceptionOrNull()
		assertThat(failure).isInstanceOf(IllegalStateException::class.java).hasMessage("business")
		assertThat(applications.isFree("flow:a")).isTrue()
	}

	@Test
	fun releasesLockWhenCollectorHasEnough() = runBlocking<Unit> {
		assertThat(work.gated("a").first()).isEqualTo("first")
		await().until { applications.isFree("flow:a") }
	}

	@Test
	fun releasesLockWhenCollectorIsCancelled() = runBlocking<Unit> {
		val collector = scope.launch { work.gated("a").collect() }
		gate.started.await()
		collector.cancel()
		await().until { applications.isFree("flow:a") }
	}

	@Test
	fun releasesLockWhenCollectorFails() = runBlocking<Unit> {
		val failure = runCatching { work.gated("a").collect { error("collector") } }.exceptionOrNull()
		assertThat(failure).hasMessage("collector")
		await().until { applications.isFree("flow:a") }
	}

	@Test
	fun keepsLockWhileCancelledFlowCleansUp() = runBlocking<Unit> {
		val collector = scope.launch { work.cleaning().collect() }
		gate.started.await()
		collector.cancel()
		gate.cleaning.await()
		repeat(20) {
			assertThat(applications.isFree("cleaning")).isFalse()
			delay(10)
		}
		gate.end.complete("cleaned")
		await().until { applications.isFree("cleaning") }
	}

	@Test
	fun collectorThatHasEnoughGoesOnAfterCleanUp() = goesOnAfterCleanUp {
		assertThat(work.numbers().take(3).toList()).containsExactly(1, 2, 3)
	}

	@Test
	fun collectorThatNeedsOneGoesOnAfterCleanUp() = goesOnAfterCleanUp {
		assertThat(work.numbers().first()).isEqualTo(1)
	}

	@Test
	fun collectorThatFailsGoesOnAfterCleanUp() = goesOnAfterCleanUp {
		val failure = runCatching { work.numbers().collect { error("collector") } }.exceptionOrNull()
		assertThat(failure).hasMessage("collector")
	}

	@Test
	fun cancelledCollectorGoesOnAfterCleanUp() = goesOnAfterCleanUp {
		val collector = scope.launch { work.cleaning().collect() }
		gate.started.await()
		collector.cancelAndJoin()
	}

	/** In each of them, the flow cleans up until the test lets it end. */
	private fun goesOnAfterCleanUp(collect: suspend () -> Unit) = runBlocking<Unit> {
		val events = CopyOnWriteArrayList<String>()
		val collector = scope.launch {
			collect()
			events += "collected"
		}
		gate.cleaning.await()
		try {
			repeat(20) {
				delay(5)
				assertThat(collector.isCompleted).isFalse()
			}
			events += "cleaned"
		}
		finally {
			gate.end.complete("cleaned")
		}
		collector.join()
		assertThat(events).containsExactly("cleaned", "collected")
		assertThat(applications.monitor.held()).`as`("released before the collector goes on").isEmpty()
	}

	@Test
	fun collectorMayTakeTheLockAgainAfterItHasEnough() = runBlocking<Unit> {
		gate.end.complete("cleaned")
		repeat(50) {
			assertThat(work.numbers().take(2).toList()).containsExactly(1, 2)
			assertThat(work.numbers().first()).isEqualTo(1)
		}
	}

	@Test
	fun withdrawsRequestWhenCollectorIsCancelled() = runBlocking<Unit> {
		applications.locks.acquire(LockRequest.of("flow:a")).use {
			val collector = scope.launch { work.patient("a").collect() }
			await().until { applications.monitor.waiting().size == 1 }
			collector.cancel()
			await().until { applications.monitor.waiting().isEmpty() }
			assertThat(gate.started.isCompleted).isFalse()
		}
	}

	@Test
	fun throwsInCollectorWhenLockIsNotFreeInTime() = runBlocking<Unit> {
		applications.locks.acquire(LockRequest.of("flow:a")).use {
			val flow = work.gated("a")
			val failure = runCatching { flow.collect() }.exceptionOrNull()
			assertThat(failure).isInstanceOf(LockAcquisitionTimeoutException::class.java)
		}
	}

	@Test
	fun contextTellsLockAfterSuspension() = runBlocking<Unit> {
		assertThat(work.names().toList()).containsExactly("names", "names", "names")
		assertThat(LockContext.find()).isEmpty()
	}

	/** A lambda that suspends is a continuation itself. */
	@Test
	fun handsOverLambdaThatSuspends() = runBlocking<Unit> {
		val name = work.of {
			delay(5)
			LockContext.current().name()
		}
		assertThat(name.toList()).containsExactly("lambda")
	}

	@Test
	fun reentersInFlow() = runBlocking<Unit> {
		assertThat(outer.flow().toList()).containsExactly("shared", "shared")
	}

	@Test
	fun reentersInFlowOfSuspendFunction() = runBlocking<Unit> {
		assertThat(outer.suspending()).containsExactly("shared", "shared")
	}

	open class Work(private val gate: Gate) {

		@DistributedLock(name = "flow", key = "#id")
		open fun gated(id: String): Flow<String> = flow {
			check(id.isNotEmpty())
			emit("first")
			emit(gate.work())
		}

		@DistributedLock(name = "flow", key = "#id", waitTime = "1m")
		open fun patient(id: String): Flow<String> = gated(id)

		@DistributedLock(name = "cleaning")
		open fun cleaning(): Flow<String> = flow {
			gate.workAndCleanUp()
			emit("never")
		}

		@DistributedLock(name = "numbers", waitTime = "0")
		open fun numbers(): Flow<Int> = flow {
			try {
				repeat(Int.MAX_VALUE) { emit(it + 1) }
			}
			finally {
				gate.cleanUp()
			}
		}

		@DistributedLock(name = "tokens")
		open fun tokens(): Flow<Long> = flow {
			repeat(3) {
				delay(5)
				emit(LockContext.current().fencingToken())
			}
		}

		@DistributedLock(name = "lambda")
		open fun of(element: suspend () -> String): Flow<String> = flow { emit(element()) }

		@DistributedLock(name = "names")
		open fun names(): Flow<String> = flow {
			repeat(3) {
				emit(LockContext.current().name())
				delay(10)
			}
		}

		@DistributedLock(name = "shared", waitTime = "0")
		open fun inner(): Flow<String> = flow {
			repeat(2) {
				delay(5)
				emit(LockContext.current().name())
			}
		}

	}

	open class Outer(private val work: Work) {

		@DistributedLock(name = "shared")
		open fun flow(): Flow<String> = flow {
			delay(10)
			work.inner().map { it }.collect { emit(it) }
		}

		@DistributedLock(name = "shared")
		open suspend fun suspending(): List<String> {
			delay(10)
			return work.inner().toList()
		}

	}

}
