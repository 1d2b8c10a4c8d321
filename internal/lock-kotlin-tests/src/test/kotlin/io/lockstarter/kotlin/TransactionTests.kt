package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.springframework.transaction.TransactionDefinition
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager
import org.springframework.transaction.reactive.GenericReactiveTransaction
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait
import reactor.core.publisher.Mono

/**
 * Tests for locked coroutines in a reactive transaction.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransactionTests {

	private val applications = TwoApplications(Service::class.java)

	private val service = applications.bean<Service>()

	private val transactions = Transactions()

	@AfterAll
	fun close() {
		applications.close()
	}

	@Test
	fun keepsLockOfSuspendFunctionUntilCommit() = keepsLockUntilCommit { service.suspending() }

	@Test
	fun keepsLockOfFlowUntilCommit() = keepsLockUntilCommit { service.flow().single() }

	/** A lock in code ends with its block. */
	@Test
	fun releasesLockOfBlockBeforeCommit() = runBlocking<Unit> {
		transactions.heldAtCommit = true
		TransactionalOperator.create(transactions).executeAndAwait {
			applications.locks.withLock("job") { assertThat(applications.isFree("job")).isFalse() }
			assertThat(applications.isFree("job")).isTrue()
		}
		assertThat(transactions.heldAtCommit).isFalse()
	}

	private fun keepsLockUntilCommit(call: suspend () -> String) = runBlocking<Unit> {
		val result = TransactionalOperator.create(transactions).executeAndAwait {
			call().also { assertThat(applications.isFree("job")).`as`("free after the call").isFalse() }
		}
		assertThat(result).isEqualTo("done")
		assertThat(transactions.heldAtCommit).isTrue()
		await().until { applications.isFree("job") }
	}

	open class Service {

		@DistributedLock(name = "job")
		open suspend fun suspending(): String = "done"

		@DistributedLock(name = "job")
		open fun flow(): Flow<String> = flowOf("done")

	}

	/** Transactions of nothing. */
	private inner class Transactions : AbstractReactiveTransactionManager() {

		var heldAtCommit = false

		override fun doGetTransaction(manager: TransactionSynchronizationManager): Any = Any()

		override fun doBegin(manager: TransactionSynchronizationManager, transaction: Any,
				definition: TransactionDefinition): Mono<Void> = Mono.empty()

		override fun doCommit(manager: TransactionSynchronizationManager,
				status: GenericReactiveTransaction): Mono<Void> =
			Mono.fromRunnable { heldAtCommit = applications.monitor.held().isNotEmpty() }

		override fun doRollback(manager: TransactionSynchronizationManager,
				status: GenericReactiveTransaction): Mono<Void> = Mono.empty()

	}

}
