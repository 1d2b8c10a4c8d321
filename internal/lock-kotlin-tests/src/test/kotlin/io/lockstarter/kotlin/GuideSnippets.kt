package io.lockstarter.kotlin

import io.lockstarter.core.LockRegistry
import io.lockstarter.core.LockRequest
import io.lockstarter.core.LockType
import io.lockstarter.kotlin.tryWithLock
import io.lockstarter.kotlin.withLock
import kotlinx.coroutines.delay
import kotlin.time.Duration.Companion.seconds

/**
 * The Kotlin code that docs/reference/api.md shows.
 */
class GuideSnippets(private val registry: LockRegistry) {

	suspend fun run(order: String): List<String> {
		val receipt = registry.withLock("order-42") { ship(order) }
		val fenced = registry.withLock("order-42", waitTime = 2.seconds) { lock -> ship(order, lock.fencingToken()) }
		val report = registry.tryWithLock("report") { print(order) } ?: "somebody else prints"
		val image = registry.withLock("render", permits = 4) { render(order) }
		val price = registry.withLock(LockRequest.of("prices").type(LockType.READ)) { read(order) }
		return listOf(receipt, fenced, report, image, price)
	}

	private suspend fun ship(order: String, token: Long = 0): String {
		delay(1)
		return if (token > 0) "$order shipped once" else "$order shipped"
	}

	private fun print(order: String) = "$order printed"

	private fun render(order: String) = "$order rendered"

	private fun read(order: String) = "price of $order"

}
