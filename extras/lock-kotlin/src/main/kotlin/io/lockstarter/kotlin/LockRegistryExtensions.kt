package io.lockstarter.kotlin

import io.lockstarter.core.LockAcquisitionTimeoutException
import io.lockstarter.core.LockHandle
import io.lockstarter.core.LockRegistry
import io.lockstarter.core.LockRequest
import io.lockstarter.core.LockType
import kotlinx.coroutines.CoroutineScope
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Runs a block under a lock, without blocking a thread.
 *
 * The lock is held until the block and all coroutines launched in its scope have ended. A cancelled coroutine cleans up
 * under the lock. A coroutine that is cancelled while it waits withdraws its request.
 *
 * The block, its children and the functions that it calls are one task: they re-enter the lock on any thread. The lock
 * does not exclude two children of the block from each other.
 *
 * The lock is not held until a transaction of the caller has completed: it is released before that transaction is
 * committed. Begin the transaction within the block.
 *
 * An exception of the block is thrown to the caller, with the exception of a failed release as suppressed. If the block
 * returns normally and the release fails, for example because the lock was lost, the exception of the release is thrown
 * instead of the result.
 *
 * @param name the lock's name
 * @param waitTime the maximum wait, zero to try once, or `null` for the configured time
 * @param leaseTime a fixed lease, or `null` for one that is renewed
 * @param permits the maximum number of concurrent holders
 * @param type the type
 * @param block the work, which gets the hold
 * @return the result of the block
 * @throws LockAcquisitionTimeoutException if the lock was not free in time
 * @throws io.lockstarter.core.LockLostException if the lock was lost before the block had ended
 * @throws io.lockstarter.core.LockBackendException if the backend failed or is unreachable
 * @throws io.lockstarter.core.LockRegistryClosedException if the application is shutting down
 */
public suspend fun <T> LockRegistry.withLock(
	name: String,
	waitTime: Duration? = null,
	leaseTime: Duration? = null,
	permits: Int = 1,
	type: LockType = LockType.REENTRANT,
	block: suspend CoroutineScope.(lock: LockHandle) -> T,
): T = withLock(request(name, waitTime, leaseTime, permits, type), block)

/**
 * Runs a block under a lock, with the options of a request.
 *
 * @param request the name and options; a request without an owner gets a new one, and a thread cannot be the owner
 * @param block the work, which gets the hold
 * @return the result of the block
 * @throws LockAcquisitionTimeoutException if the lock was not free in time
 * @see withLock
 */
public suspend fun <T> LockRegistry.withLock(
	request: LockRequest,
	block: suspend CoroutineScope.(lock: LockHandle) -> T,
): T = CoroutineHold.of(this, request).run(block)

/**
 * Runs a block under a lock if the lock is free in time.
 *
 * @param name the lock's name
 * @param waitTime the maximum wait; zero, the default, tries once
 * @param leaseTime a fixed lease, or `null` for one that is renewed
 * @param permits the maximum number of concurrent holders
 * @param type the type
 * @param block the work, which gets the hold
 * @return the result of the block, or `null` if the lock was not free in time
 * @see withLock
 */
public suspend fun <T> LockRegistry.tryWithLock(
	name: String,
	waitTime: Duration = Duration.ZERO,
	leaseTime: Duration? = null,
	permits: Int = 1,
	type: LockType = LockType.REENTRANT,
	block: suspend CoroutineScope.(lock: LockHandle) -> T,
): T? = tryWithLock<T?>(request(name, waitTime, leaseTime, permits, type), null, block)

/**
 * Runs a block under a lock if the lock is free within the request's wait time.
 *
 * @param request the name and options
 * @param otherwise the result if the lock was not free in time
 * @param block the work, which gets the hold
 * @return the result of the block, or `otherwise`
 * @see withLock
 */
public suspend fun <T> LockRegistry.tryWithLock(
	request: LockRequest,
	otherwise: T,
	block: suspend CoroutineScope.(lock: LockHandle) -> T,
): T {
	val hold = try {
		CoroutineHold.of(this, request)
	}
	catch (ex: LockAcquisitionTimeoutException) {
		return otherwise
	}
	return hold.run(block)
}

private fun request(name: String, waitTime: Duration?, leaseTime: Duration?, permits: Int, type: LockType): LockRequest {
	val request = LockRequest.of(name).type(type).permits(permits)
	val timed = if (waitTime != null) request.waitTime(waitTime.toWaitTime()) else request
	return if (leaseTime != null) timed.leaseTime(leaseTime.toJavaDuration()) else timed
}

private fun Duration.toWaitTime(): java.time.Duration =
	if (isInfinite()) LockRequest.FOREVER else toJavaDuration()
