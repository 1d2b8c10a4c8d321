package io.lockstarter.kotlin

import io.lockstarter.core.LockContext
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.asCoroutineContext
import reactor.util.context.Context
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

private val REACTOR = try {
	Class.forName("kotlinx.coroutines.reactor.ReactorContext", false, CoroutineLocks::class.java.classLoader)
	true
}
catch (ex: ClassNotFoundException) {
	false
}

/** Returns the locks of a coroutine, which may be none. */
internal fun locksOf(coroutine: CoroutineContext): LockContext {
	val locks = LockContext.capture()
	return if (REACTOR && locks.handle().isEmpty) PipelineLocks.of(coroutine) ?: locks else locks
}

/** Returns the context elements that carry locks to a coroutine. */
internal suspend fun contextOf(locks: LockContext): CoroutineContext =
	if (REACTOR) CoroutineLocks(locks) + PipelineLocks.put(locks, currentCoroutineContext()) else CoroutineLocks(locks)

/**
 * Locks under which a coroutine and its children run. Every thread that resumes one of these coroutines gets the locks.
 */
internal class CoroutineLocks(private val locks: LockContext) : AbstractCoroutineContextElement(Key),
	ThreadContextElement<LockContext.Scope> {

	override fun updateThreadContext(context: CoroutineContext): LockContext.Scope = locks.restore()

	override fun restoreThreadContext(context: CoroutineContext, oldState: LockContext.Scope) = oldState.close()

	/** Key of the locks in a context. */
	private companion object Key : CoroutineContext.Key<CoroutineLocks>

}

/**
 * Locks in the Reactor context of a coroutine. Loaded only if `kotlinx-coroutines-reactor` is on the class path.
 */
private object PipelineLocks {

	fun of(coroutine: CoroutineContext): LockContext? =
		coroutine[ReactorContext]?.context?.getOrDefault<LockContext>(LockContext::class.java, null)

	fun put(locks: LockContext, coroutine: CoroutineContext): CoroutineContext =
		(coroutine[ReactorContext]?.context ?: Context.empty()).put(LockContext::class.java, locks).asCoroutineContext()

}
