package io.lockstarter.kotlin

import io.lockstarter.testing.ChildJvm
import io.lockstarter.testing.RedisServer
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.time.Duration

/**
 * Neither coroutines nor handlers of WebFlux block the threads that serve many, not even with the very first lock.
 */
class BlockHoundTests {

	@Test
	fun locksBlockNoThreadThatServesMany() {
		RedisServer.startGuarded().use { redis ->
			ChildJvm.start(
				listOf("-XX:+AllowRedefinitionToAddDeleteMethods", "-XX:+EnableDynamicAgentLoading"),
				WatchedApplication::class.java, redis.host(), redis.port().toString()).use { jvm ->
				jvm.awaitLine({ it == "done" }, Duration.ofMinutes(2))
				val findings = jvm.output().filter { it.startsWith("blocked: ") || it.startsWith("failed: ") }
				val (planted, others) = findings.partition { it.contains("blockOnPurpose") }
				assertThat(planted).describedAs("shows that calls which block are seen, of a coroutine and of WebFlux")
					.anyMatch { it.contains("DefaultDispatcher-worker") }
					.anyMatch { it.contains("reactor-http") }
				assertThat(others).isEmpty()
			}
		}
	}

}
