package io.lockstarter.kotlin

import io.lockstarter.core.LockContext
import io.lockstarter.core.LockHandle
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext

/**
 * Work under a lock, of which the test sees the beginning and which it ends.
 */
class Gate {

	/** The lock under which the work runs, once it does. */
	@Volatile
	lateinit var started: CompletableDeferred<LockHandle?>

	@Volatile
	lateinit var end: CompletableDeferred<String>

	/** How the work ended: null if well. */
	@Volatile
	lateinit var ended: CompletableDeferred<Throwable?>

	@Volatile
	lateinit var cleaning: CompletableDeferred<Unit>

	init {
		close()
	}

	fun close() {
		started = CompletableDeferred()
		end = CompletableDeferred()
		ended = CompletableDeferred()
		cleaning = CompletableDeferred()
	}

	suspend fun work(): String {
		started.complete(LockContext.find().orElse(null))
		try {
			return end.await().also { ended.complete(null) }
		}
		catch (ex: Throwable) {
			ended.complete(ex)
			throw ex
		}
	}

	/** Work until cancelled, then clean up until the test ends it. */
	suspend fun workAndCleanUp() {
		started.complete(LockContext.find().orElse(null))
		try {
			delay(60_000)
		}
		finally {
			cleanUp()
		}
	}

	/** Clean up until the test ends it, even if cancelled. */
	suspend fun cleanUp() = withContext(NonCancellable) {
		cleaning.complete(Unit)
		end.await()
	}

}
