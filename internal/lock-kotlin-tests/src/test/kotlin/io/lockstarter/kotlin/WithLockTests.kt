package io.lockstarter.kotlin

import io.lockstarter.core.LockAcquisitionTimeoutException
import io.lockstarter.core.LockContext
import io.lockstarter.core.LockHandle
import io.lockstarter.core.LockLostException
import io.lockstarter.core.LockOwner
import io.lockstarter.core.LockRegistry
import io.lockstarter.core.LockRequest
import io.lockstarter.core.LockType
import io.lockstarter.engine.DefaultLockRegistry
import io.lockstarter.engine.EngineSettings
import io.lockstarter.memory.InMemoryLockBackend
import io.lockstarter.memory.InMemoryLockStore
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Tests for blocks under a lock.
 */
@Timeout(60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WithLockTests {

	private val backend = InMemoryLockBackend(InMemoryLockStore())

	private val registry = DefaultLockRegistry(backend,
		EngineSettings("here", java.time.Duration.ofSeconds(30), java.time.Duration.ofSeconds(30), null, false, 64),
		listOf())

	private val scope = CoroutineScope(Dispatchers.Default)

	private val started = CompletableDeferred<LockHandle>()

	private val end = CompletableDeferred<String>()

	@AfterEach
	fun nothingIsLeft() {
		await().until { registry.waitingCount() == 0 && registry.heldCount() == 0 }
		scope.cancel()
		registry.close()
		backend.close()
	}

	@Test
	fun holdsLockUntilBlockHasEnded() = runBlocking<Unit> {
		val result = scope.async { registry.withLock("job") { work(it) } }
		val lock = started.await()
		assertThat(lock.name()).isEqualTo("job")
		assertThat(lock.isValid).isTrue()
		assertThat(lock.fencingToken()).isPositive()
		assertThat(busy()).isTrue()
		end.complete("done")
		assertThat(result.await()).isEqualTo("done")
		assertThat(lock.isValid).isFalse()
		assertThat(registry.heldCount()).isZero()
	}

	@Test
	fun throwsWhatBlockThrows() = runBlocking<Unit> {
		val failure = runCatching { registry.withLock("job") { throw IOException("business") } }.exceptionOrNull()
		assertThat(failure).isExactlyInstanceOf(IOException::class.java).hasMessage("business")
		assertThat(registry.heldCount()).isZero()
	}

	@Test
	fun goesByItsTerms() = runBlocking<Unit> {
		registry.withLock("job", leaseTime = 5.seconds, permits = 2, waitTime = Duration.INFINITE) {
			assertThat(it.permits()).isEqualTo(2)
			assertThat(it.remainingLease()).isLessThanOrEqualTo(java.time.Duration.ofSeconds(5))
		}
		registry.withLock("job", type = LockType.READ) { assertThat(it.type()).isEqualTo(LockType.READ) }
		val owner = LockOwner.create("mine")
		registry.withLock(LockRequest.of("job").owner(owner)) { assertThat(it.owner()).isEqualTo(owner) }
	}

	@Test
	fun refusesThreadAsOwner() = runBlocking<Unit> {
		val request = LockRequest.of("job").owner(LockOwner.currentThread())
		val failure = runCatching { registry.withLock(request) { work(it) } }.exceptionOrNull()
		assertThat(failure).isInstanceOf(IllegalArgumentException::class.java)
			.hasMessageContaining("cannot belong to a thread")
	}

	@Test
	fun throwsWhenLockIsNotFreeInTime() = whileHeld {
		val failure = runCatching { registry.withLock("job", Duration.ZERO) { work(it) } }.exceptionOrNull()
		assertThat(failure).isInstanceOf(LockAcquisitionTimeoutException::class.java)
		assertThat(started.isCompleted).isFalse()
	}

	@Test
	fun triesOnceForNothing() = whileHeld {
		assertThat(registry.tryWithLock("job") { work(it) }).isNull()
		assertThat(registry.tryWithLock("job", 10.milliseconds) { work(it) }).isNull()
		assertThat(started.isCompleted).isFalse()
		assertThat(registry.tryWithLock("other") { "done" }).isEqualTo("done")
	}

	@Test
	fun triesForSomethingElse() = whileHeld {
		val once = LockRequest.of("job").waitTime(java.time.Duration.ZERO)
		assertThat(registry.tryWithLock(once, "busy") { work(it) }).isEqualTo("busy")
		assertThat(started.isCompleted).isFalse()
		assertThat(registry.tryWithLock(LockRequest.of("other"), "busy") { "done" }).isEqualTo("done")
	}

	/** What the block runs into is its own affair. */
	@Test
	fun throwsWhenBlockDoesNotGetLockOfItsOwn() = whileHeld {
		val failure = runCatching {
			registry.tryWithLock("other") { registry.withLock("job", Duration.ZERO) { work(it) } }
		}.exceptionOrNull()
		assertThat(failure).isInstanceOf(LockAcquisitionTimeoutException::class.java)
	}

	@Test
	fun releasesLockWhenCallerIsCancelled() = runBlocking<Unit> {
		val call = scope.launch { registry.withLock("job") { work(it) } }
		started.await()
		call.cancel()
		call.join()
		assertThat(registry.heldCount()).isZero()
	}

	@Test
	fun releasesLockWhenCallerRunsOutOfTime() = runBlocking<Unit> {
		val failure = runCatching { withTimeout(50) { registry.withLock("job") { awaitCancellation() } } }.exceptionOrNull()
		assertThat(failure).isInstanceOf(TimeoutCancellationException::class.java)
		assertThat(registry.heldCount()).isZero()
	}

	@Test
	fun keepsLockWhileCancelledBlockCleansUp() = runBlocking<Unit> {
		val call = scope.launch {
			registry.withLock("job") {
				try {
					started.complete(it)
					awaitCancellation()
				}
				finally {
					withContext(NonCancellable) { end.await() }
				}
			}
		}
		val lock = started.await()
		call.cancel()
		assertThat(busy()).isTrue()
		assertThat(lock.isValid).isTrue()
		end.complete("cleaned")
		call.join()
		assertThat(registry.heldCount()).isZero()
	}

	@Test
	fun withdrawsRequestWhenCallerIsCancelled() = whileHeld {
		val call = scope.launch { registry.withLock("job") { work(it) } }
		await().until { registry.waitingCount() == 1 }
		call.cancel()
		call.join()
		await().until { registry.waitingCount() == 0 }
		assertThat(started.isCompleted).isFalse()
	}

	@Test
	fun cancellationAtAnyTimeLeavesNothingBehind() = runBlocking<Unit> {
		val random = Random(42)
		val running = AtomicInteger()
		val most = AtomicInteger()
		val calls = (0 until 500).map {
			val call = scope.launch { registry.withLock("job") { count(running, most) } }
			val after = random.nextInt(20_000).microseconds
			scope.launch {
				delay(after)
				call.cancel()
			}
			call
		}
		calls.forEach { it.join() }
		assertThat(running).hasValue(0)
		assertThat(most).hasValueLessThanOrEqualTo(1)
	}

	/** The lock is granted, but its coroutine was cancelled before it could go on. */
	@Test
	fun releasesLockThatIsGrantedToCancelledCaller() = runBlocking<Unit> {
		val lock = registry.acquire(other())
		val call = launch(start = CoroutineStart.UNDISPATCHED) { registry.withLock("job") { work(it) } }
		await().until { registry.waitingCount() == 1 }
		lock.close()
		await().until { registry.heldCount() == 1 }
		call.cancel()
		call.join()
		await().until { registry.heldCount() == 0 }
		assertThat(started.isCompleted).isFalse()
	}

	@Test
	fun cancelledCallerGoesOnAfterRelease() = runBlocking<Unit> {
		val releasing = CompletableDeferred<Unit>()
		val released = CompletableFuture<Void>()
		val slow = object : LockRegistry by registry {

			override fun acquireAsync(request: LockRequest): CompletableFuture<LockHandle> =
				registry.acquireAsync(request).thenApply { lock ->
					object : LockHandle by lock {

						override fun releaseAsync(): CompletionStage<Void?> {
							releasing.complete(Unit)
							return released.thenCompose { lock.releaseAsync() }
						}

					}
				}

		}
		val releasedFirst = CompletableDeferred<Boolean>()
		val call = scope.launch { slow.withLock("job") { work(it) } }
		call.invokeOnCompletion { releasedFirst.complete(released.isDone) }
		started.await()
		call.cancel()
		releasing.await()
		repeat(20) {
			assertThat(call.isCompleted).isFalse()
			delay(1)
		}
		released.complete(null)
		assertThat(releasedFirst.await()).isTrue()
	}

	@Test
	fun tellsLossInPlaceOfResult() = runBlocking<Unit> {
		val failure = runCatching { registry.withLock("job") { registry.forceRelease("job") } }.exceptionOrNull()
		assertThat(failure).isInstanceOf(LockLostException::class.java)
	}

	@Test
	fun tellsLossBesideWhatBlockThrows() = runBlocking<Unit> {
		val failure = runCatching {
			registry.withLock("job") {
				registry.forceRelease("job")
				throw IOException("business")
			}
		}.exceptionOrNull()
		assertThat(failure).isExactlyInstanceOf(IOException::class.java)
		assertThat(failure!!.suppressed).hasAtLeastOneElementOfType(LockLostException::class.java)
	}

	@Test
	fun reentersOnWhateverThread() = runBlocking<Unit> {
		val names = registry.withLock("job") {
			val names = mutableListOf(again())
			delay(5)
			names += again()
			names += withContext(Dispatchers.IO) { again() }
			names += again()
			names
		}
		assertThat(names).containsExactly("job", "job", "job", "job")
		assertThat(LockContext.find()).isEmpty()
	}

	@Test
	fun childrenReenter() = runBlocking<Unit> {
		val names = registry.withLock("job") { (1..3).map { async(Dispatchers.Default) { again() } }.awaitAll() }
		assertThat(names).containsExactly("job", "job", "job")
	}

	@Test
	fun holdsLockUntilChildrenHaveEnded() = runBlocking<Unit> {
		val call = scope.launch { registry.withLock("job") { launch(Dispatchers.Default) { work(it) } } }
		started.await()
		assertThat(busy()).isTrue()
		assertThat(call.isCompleted).isFalse()
		end.complete("done")
		call.join()
		assertThat(registry.heldCount()).isZero()
	}

	@Test
	fun childrenExcludeEachOtherByFurtherLock() = runBlocking<Unit> {
		val running = AtomicInteger()
		val most = AtomicInteger()
		registry.withLock("job") {
			repeat(20) { launch(Dispatchers.Default) { registry.withLock("further") { count(running, most) } } }
		}
		assertThat(most).hasValue(1)
	}

	@Test
	fun otherCoroutinesDoNotReenter() = runBlocking<Unit> {
		registry.withLock("job") { assertThat(busy()).isTrue() }
	}

	/** All wait on the one thread that they share with the one that holds the lock. */
	@Test
	fun waitingBlocksNoThread() = runBlocking<Unit> {
		val running = AtomicInteger()
		val most = AtomicInteger()
		coroutineScope { repeat(100) { launch { registry.withLock("job") { count(running, most) } } } }
		assertThat(most).hasValue(1)
	}

	@Test
	fun letsInAsManyAsThereArePermits() = runBlocking<Unit> {
		val inside = AtomicInteger()
		val calls = (1..3).map {
			scope.async {
				registry.withLock("job", permits = 3) {
					if (inside.incrementAndGet() == 3) started.complete(it)
					end.await()
				}
			}
		}
		started.await()
		assertThat(registry.tryWithLock("job", permits = 3) { "fourth" }).isNull()
		end.complete("done")
		assertThat(calls.awaitAll()).containsExactly("done", "done", "done")
	}

	private suspend fun work(lock: LockHandle): String {
		started.complete(lock)
		return end.await()
	}

	private suspend fun count(running: AtomicInteger, most: AtomicInteger) {
		most.accumulateAndGet(running.incrementAndGet(), Math::max)
		try {
			delay(1)
		}
		finally {
			running.decrementAndGet()
		}
	}

	private suspend fun again(): String = registry.withLock("job", Duration.ZERO) { LockContext.current().name() }

	/** Whether a task of its own gets no lock. */
	private suspend fun busy(): Boolean = scope.async { registry.tryWithLock("job") { } == null }.await()

	private fun other() = LockRequest.of("job").owner(LockOwner.create("other"))

	private fun whileHeld(work: suspend () -> Unit) = runBlocking<Unit> { registry.acquire(other()).use { work() } }

}
