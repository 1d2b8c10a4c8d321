package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.testing.CapturedLog
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.WebApplicationType
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ApplicationContextInitializer
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Lazy

/**
 * Tests for the warning of beans that call their own locked functions.
 */
class KotlinSelfInvocationTests {

	@Test
	fun namesCallsOfFunctionsAndLambdas() {
		assertThat(warnings(Caller::class.java)).singleElement().asString().contains("inLambda calls ship",
			"inlined calls ship", "inObject calls ship", "withDefaults calls ship", "ofValue calls shipValue",
			"ofInternal calls shipInternal")
	}

	@Test
	fun staysSilentAboutCallsOfTheInjectedBean() {
		assertThat(warnings(Injected::class.java)).isEmpty()
	}

	private fun warnings(type: Class<*>): List<String> {
		var log: CapturedLog? = null
		SpringApplicationBuilder(TwoApplications.Application::class.java, type)
			.web(WebApplicationType.NONE)
			.properties("distributed-lock.backend=in-memory", "spring.main.banner-mode=off")
			.initializers(ApplicationContextInitializer<ConfigurableApplicationContext> {
				log = CapturedLog.of("io.lockstarter.aop")
			})
			.run()
			.close()
		return log!!.use { it.lines() }
	}

	@JvmInline
	value class OrderId(val value: String)

	open class Caller {

		@DistributedLock(key = "#id")
		open fun ship(id: String = "x", times: Int = 1): String = id.repeat(times)

		@DistributedLock(key = "#id.value")
		open fun shipValue(id: OrderId): String = id.value

		@DistributedLock
		internal open fun shipInternal(): String = "x"

		open fun inLambda(): () -> String = { ship("x") }

		open fun inlined(ids: List<String>): List<String> = ids.map { ship(it) }

		open fun inObject(): Runnable = object : Runnable {

			override fun run() {
				ship("x")
			}

		}

		open fun withDefaults(): String = ship()

		open fun ofValue(): String = shipValue(OrderId("x"))

		open fun ofInternal(): String = shipInternal()

	}

	open class Injected(@param:Lazy private val self: Injected?) {

		@DistributedLock(key = "#id")
		open fun ship(id: String = "x"): String = id

		open fun direct(): String = self!!.ship("x")

		open fun inLambda(): () -> String = { self!!.ship("x") }

		open fun withDefaults(): String = self!!.ship()

		open fun ofOther(other: Injected): () -> String = { other.ship("x") }

	}

}
