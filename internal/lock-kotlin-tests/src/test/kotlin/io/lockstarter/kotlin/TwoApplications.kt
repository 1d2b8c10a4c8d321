package io.lockstarter.kotlin

import io.lockstarter.core.LockMonitor
import io.lockstarter.core.LockRegistry
import io.lockstarter.core.LockRequest
import io.lockstarter.testing.RedisServer
import org.springframework.boot.SpringBootConfiguration
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext

/**
 * Two applications on a Redis of their own: one with the beans under test, and one that takes locks by hand.
 */
class TwoApplications(vararg beans: Class<*>) : AutoCloseable {

	val redis: RedisServer = RedisServer.startGuarded()

	private val here = start(redis, *beans)

	private val elsewhere = start(redis)

	val locks: LockRegistry = elsewhere.getBean(LockRegistry::class.java)

	val monitor: LockMonitor = here.getBean(LockMonitor::class.java)

	inline fun <reified T : Any> bean(): T = bean(T::class.java)

	fun <T : Any> bean(type: Class<T>): T = here.getBean(type)

	fun isFree(name: String): Boolean {
		val lock = locks.tryAcquire(LockRequest.of(name))
		lock.ifPresent { it.close() }
		return lock.isPresent
	}

	override fun close() {
		here.close()
		elsewhere.close()
		redis.close()
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	class Application

	companion object {

		fun start(redis: RedisServer, vararg beans: Class<*>): ConfigurableApplicationContext =
			SpringApplicationBuilder(Application::class.java, *beans)
				.web(WebApplicationType.NONE)
				.properties(
					"spring.data.redis.host=${redis.host()}",
					"spring.data.redis.port=${redis.port()}",
					"spring.main.banner-mode=off",
					"distributed-lock.registries.billing.connection-factory=redisConnectionFactory",
					"distributed-lock.registries.billing.key-prefix=lock:billing:",
					"distributed-lock.wait-time=${if (beans.isEmpty()) "0" else "300ms"}")
				.run()
	}

}
