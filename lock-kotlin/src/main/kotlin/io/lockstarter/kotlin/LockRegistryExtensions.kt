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
 * Run a block under a lock, without blocking a thread.
 *
 * The lock is held until the block has ended, and all coroutines that were launched in its scope. A coroutine that is
 * cancelled cleans up under the lock; one that is cancelled while it waits withdraws the request.
 *
 * The block, its children and what it calls take again what it holds, on whatever thread: they are one task. So two
 * children of the block are not kept apart by its lock.
 *
 * No transaction of the caller keeps the lock: it is released before that transaction is committed. Begin the transaction
 * within the block.
 *
 * What the block throws comes out, with a failed release suppressed in it. After a normal end, a failed release, such as
 * that of a lost lock, is thrown in the place of the result.
 *
 * @param name the lock's name
 * @param waitTime how long to wait for the lock, zero to try once, or `null` for the configured time
 * @param leaseTime a fixed lease, or `null` for one that is renewed
 * @param permits how many may hold the lock at a time
 * @param type how the lock excludes others
 * @param block what to do, with the hold
 * @return what the block returns
 * @throws LockAcquisitionTimeoutException if the lock was not free in time
 * @throws io.lockstarter.core.LockLostException if the lock was lost before the block had ended
 * @throws io.lockstarter.core.LockBackendException if the backend failed or could not be reached
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
 * Run a block under a lock, on the terms of a request.
 *
 * @param request the name and terms; without an owner the block gets one of its own, and a thread cannot be one
 * @param block what to do, with the hold
 * @return what the block returns
 * @throws LockAcquisitionTimeoutException if the lock was not free in time
 * @see withLock
 */
public suspend fun <T> LockRegistry.withLock(
	request: LockRequest,
	block: suspend CoroutineScope.(lock: LockHandle) -> T,
): T = CoroutineHold.of(this, request).run(block)

/**
 * Run a block under a lock if that is free in time.
 *
 * @param name the lock's name
 * @param waitTime how long to wait for the lock; tries once if not given
 * @param leaseTime a fixed lease, or `null` for one that is renewed
 * @param permits how many may hold the lock at a time
 * @param type how the lock excludes others
 * @param block what to do, with the hold
 * @return what the block returns, or `null` if the lock was not free in time
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
 * Run a block under a lock if that is free within the request's wait time.
 *
 * @param request the name and terms
 * @param otherwise what stands for the result if the lock was not free in time
 * @param block what to do, with the hold
 * @return what the block returns, or what stands for it
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
	val patient = if (waitTime != null) request.waitTime(waitTime.toWaitTime()) else request
	return if (leaseTime != null) patient.leaseTime(leaseTime.toJavaDuration()) else patient
}

private fun Duration.toWaitTime(): java.time.Duration =
	if (isInfinite()) LockRequest.FOREVER else toJavaDuration()
