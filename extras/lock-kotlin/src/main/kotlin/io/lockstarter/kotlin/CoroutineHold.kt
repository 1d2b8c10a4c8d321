package io.lockstarter.kotlin

import io.lockstarter.core.LockContext
import io.lockstarter.core.LockHandle
import io.lockstarter.core.LockRegistry
import io.lockstarter.core.LockRequest
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.future.await
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import kotlin.coroutines.resumeWithException

/**
 * Hold of a lock by a coroutine.
 */
internal class CoroutineHold private constructor(private val lock: LockHandle, private val locks: LockContext) {

	/** Runs a block, and releases the lock when the block and its children have ended, also after a cancellation. */
	suspend fun <T> run(block: suspend CoroutineScope.(LockHandle) -> T): T {
		val result = try {
			withContext(contextOf(locks)) { block(lock) }
		}
		catch (ex: Throwable) {
			releaseAfter(ex)
			throw ex
		}
		release()
		return result
	}

	private suspend fun release() {
		withContext(NonCancellable) { lock.releaseAsync().await() }
	}

	/** Releases the lock after a failure, which stays the primary exception. */
	private suspend fun releaseAfter(failure: Throwable) {
		try {
			release()
		}
		catch (ex: Throwable) {
			failure.addSuppressed(ex)
		}
	}

	companion object {

		/** Acquires a lock, or re-enters a lock that the task of the coroutine holds. */
		suspend fun of(registry: LockRegistry, request: LockRequest): CoroutineHold {
			val outer = locksOf(currentCoroutineContext())
			val lock = granted(registry.acquireAsync(outer.forTask(request, registry)))
			return CoroutineHold(lock, outer.with(lock))
		}

		/** Awaits a lock. A cancellation withdraws the request, or releases a lock that was granted too late. */
		private suspend fun granted(acquisition: CompletableFuture<LockHandle>): LockHandle =
			suspendCancellableCoroutine { waiting ->
				acquisition.whenComplete { lock, failure ->
					if (failure == null) {
						waiting.resume(lock) { _, unused, _ -> unused.releaseAsync() }
					}
					else {
						waiting.resumeWithException((failure as? CompletionException)?.cause ?: failure)
					}
				}
				waiting.invokeOnCancellation { acquisition.cancel(false) }
			}

	}

}
