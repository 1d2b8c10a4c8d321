package io.lockstarter.kotlin

import io.lockstarter.core.LockContext
import io.lockstarter.core.LockRequest
import io.lockstarter.engine.DefaultLockRegistry
import io.lockstarter.engine.EngineSettings
import io.lockstarter.memory.InMemoryLockBackend
import io.lockstarter.memory.InMemoryLockStore
import io.lockstarter.reactor.ReactorLocks
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import reactor.core.publisher.Mono
import java.time.Duration

/**
 * Tests for locks that go along from coroutines to Reactor's pipelines and back.
 */
@Timeout(60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineTests {

	private val backend = InMemoryLockBackend(InMemoryLockStore())

	private val registry = DefaultLockRegistry(backend,
		EngineSettings("here", Duration.ZERO, Duration.ofSeconds(30), null, false, 64), listOf())

	private val locks = ReactorLocks(registry)

	/** Made by nobody who has a lock. */
	private val pipeline: Mono<String> = locks.withLock(LockRequest.of("job"), ReactorLocks.current().map { it.name() })

	private val coroutine: Mono<String> = mono { registry.withLock("job") { LockContext.current().name() } }

	@AfterEach
	fun close() {
		assertThat(registry.heldCount()).isZero()
		registry.close()
		backend.close()
	}

	@Test
	fun pipelineReentersInCoroutine() = runBlocking<Unit> {
		assertThat(registry.withLock("job") { pipeline.awaitSingle() }).isEqualTo("job")
	}

	@Test
	fun coroutineReentersInPipeline() = runBlocking<Unit> {
		assertThat(locks.withLock(LockRequest.of("job"), coroutine).awaitSingle()).isEqualTo("job")
	}

	@Test
	fun pipelineReentersInnermostOfCoroutineInPipeline() = runBlocking<Unit> {
		val inner = mono { registry.withLock("job") { pipeline.awaitSingle() + coroutine.awaitSingle() } }
		assertThat(locks.withLock(LockRequest.of("outer"), inner).awaitSingle()).isEqualTo("jobjob")
	}

}
