package io.lockstarter.kotlin

import io.lockstarter.core.LockOwner
import io.lockstarter.core.LockRequest
import io.lockstarter.engine.DefaultLockRegistry
import io.lockstarter.engine.EngineSettings
import io.lockstarter.memory.InMemoryLockBackend
import io.lockstarter.memory.InMemoryLockStore
import io.lockstarter.testing.Checkout
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import java.nio.file.Path
import java.time.Duration
import kotlin.io.path.readText

/**
 * What docs/reference/api.md shows of Kotlin compiles and does what it says.
 */
class GuideTests {

	private val backend = InMemoryLockBackend(InMemoryLockStore())

	private val registry = DefaultLockRegistry(backend,
		EngineSettings("here", Duration.ofSeconds(20), Duration.ofSeconds(30), null, false, 64), listOf())

	@AfterEach
	fun close() {
		registry.close()
		backend.close()
	}

	@Test
	fun showsOnlyCodeThatCompiles() {
		val source = Path.of("src", "test", "kotlin", "io", "lockstarter", "kotlin", "GuideSnippets.kt").readText()
		val shown = Regex("(?s)```kotlin\\n(.+?)```").findAll(Checkout.file("docs", "reference", "api.md").readText())
			.flatMap { it.groupValues[1].lines() }
			.map { it.trim() }
			.filter { it.isNotEmpty() }
			.toList()
		assertThat(shown).hasSizeGreaterThan(2)
		assertThat(source.lines().map { it.trim() }).containsAll(shown)
	}

	@Test
	fun runsUnderLocks() = runBlocking<Unit> {
		assertThat(GuideSnippets(registry).run("42")).containsExactly("42 shipped", "42 shipped once", "42 printed",
			"42 rendered", "price of 42")
		assertThat(registry.heldCount()).isZero()
	}

	@Test
	fun doesWithoutLockThatIsBusy() = runBlocking<Unit> {
		registry.acquire(LockRequest.of("report").owner(LockOwner.create("other"))).use {
			assertThat(GuideSnippets(registry).run("42")).contains("somebody else prints")
		}
	}

}
