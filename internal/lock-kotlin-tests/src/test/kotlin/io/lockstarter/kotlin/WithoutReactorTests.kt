package io.lockstarter.kotlin

import io.lockstarter.core.LockContext
import io.lockstarter.engine.DefaultLockRegistry
import io.lockstarter.engine.EngineSettings
import io.lockstarter.memory.InMemoryLockBackend
import io.lockstarter.memory.InMemoryLockStore
import io.lockstarter.testing.ChildJvm
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Test
import java.io.File
import java.time.Duration

/**
 * Tests for blocks under a lock where Reactor is not on the class path.
 */
class WithoutReactorTests {

	@Test
	fun blockRunsUnderItsLock() {
		val path = System.getProperty("java.class.path").split(File.pathSeparator)
			.filterNot { "reactor" in it || "reactive" in it || "lettuce" in it }
		ChildJvm.start(listOf("-cp", path.joinToString(File.pathSeparator)), Main::class.java).use {
			it.awaitLine("Reactor is absent"::equals, Duration.ofMinutes(1))
			it.awaitLine("job under job"::equals, Duration.ofMinutes(1))
		}
	}

	object Main {

		@JvmStatic
		fun main(arguments: Array<String>) {
			ChildJvm.exitWithParent()
			val absent = runCatching { Class.forName("reactor.core.publisher.Mono") }.isFailure
			println("Reactor is ${if (absent) "absent" else "present"}")
			val settings = EngineSettings("here", Duration.ofSeconds(20), Duration.ofSeconds(30), null, false, 64)
			InMemoryLockBackend(InMemoryLockStore()).use { backend ->
				DefaultLockRegistry(backend, settings, listOf()).use { registry ->
					println(runBlocking { registry.withLock("job") { withContext(Dispatchers.IO) { again(registry) } } })
				}
			}
		}

		private suspend fun again(registry: DefaultLockRegistry): String =
			registry.withLock("job") { "${it.name()} under ${LockContext.current().name()}" }

	}

}
