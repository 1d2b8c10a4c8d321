package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.core.LockAcquisitionTimeoutException
import io.lockstarter.core.LockContext
import io.lockstarter.core.LockMonitor
import io.lockstarter.core.LockOwner
import io.lockstarter.core.LockRegistry
import io.lockstarter.core.LockRequest
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.springframework.boot.WebApplicationType
import org.springframework.boot.builder.SpringApplicationBuilder
import java.math.BigInteger
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * Tests for functions whose names the compiler changes, because they are internal or take value classes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ValueClassTests {

	private val context = SpringApplicationBuilder(TwoApplications.Application::class.java, Named::class.java,
			Fallbacks::class.java, Keys::class.java)
		.web(WebApplicationType.NONE)
		.properties("distributed-lock.backend=in-memory", "spring.main.banner-mode=off", "distributed-lock.wait-time=0")
		.run()

	private val named = context.getBean(Named::class.java)

	private val fallbacks = context.getBean(Fallbacks::class.java)

	private val keys = context.getBean(Keys::class.java)

	@AfterAll
	fun close() = context.close()

	@Test
	fun namesLocksAsTheSourceNamesFunctions() = runBlocking<Unit> {
		assertThat(named.internal()).isEqualTo("Named.internal")
		assertThat(named.ofValue(OrderId("42"))).isEqualTo("Named.ofValue")
		assertThat(named.ofNullable(null)).isEqualTo("Named.ofNullable")
		assertThat(named.ofUnsigned(42u)).isEqualTo("Named.ofUnsigned")
		assertThat(named.ofDuration(1.seconds)).isEqualTo("Named.ofDuration")
		assertThat(named.internalOfValue(OrderId("42"))).isEqualTo("Named.internalOfValue")
		assertThat(named.suspending(OrderId("42"))).isEqualTo("Named.suspending")
		assertThat(named.internalSuspending()).isEqualTo("Named.internalSuspending")
		assertThat(named.flow(OrderId("42")).single()).isEqualTo("Named.flow")
	}

	@Test
	fun findsFallbacksByTheirNamesInTheSource() = runBlocking<Unit> {
		val request = LockRequest.of("busy").owner(LockOwner.create("other"))
		context.getBean(LockRegistry::class.java).acquire(request).use {
			assertThat(fallbacks.plain("42")).isEqualTo("internal fallback of 42")
			assertThat(fallbacks.internal()).isEqualTo("private fallback")
			assertThat(fallbacks.ofValue(OrderId("42"))).isEqualTo("fallback of OrderId(value=42)")
			assertThat(fallbacks.ofUnsigned(4_000_000_000u)).isEqualTo("fallback of 4000000000")
			assertThat(fallbacks.ofDuration(90.seconds)).isEqualTo("fallback of 1m 30s")
			assertThat(fallbacks.withFailure(OrderId("42"))).isEqualTo("fallback of OrderId(value=42) after busy")
			assertThat(fallbacks.suspending(OrderId("42"))).isEqualTo("fallback of OrderId(value=42)")
		}
	}

	@Test
	fun readsPropertiesOfValueClasses() = runBlocking<Unit> {
		assertThat(keys.value(OrderId("42"))).isEqualTo("key:42")
		assertThat(keys.position(OrderId("42"))).isEqualTo("key:42")
		assertThat(keys.computed(OrderId("4242"))).isEqualTo("key:42")
		assertThat(keys.suspending(OrderId("42"))).isEqualTo("key:42")
		assertThat(keys.nested(Line(OrderId("42")))).isEqualTo("key:42")
		assertThat(keys.several(OrderId("1"), OrderId("2"))).isEqualTo("key:1, key:2")
		assertThat(keys.secondsOf(90.seconds)).isEqualTo("key:90")
	}

	@Test
	fun readsPropertiesWhoseTypeIsAValueClassOrThatAreInternal() {
		val order = Order(OrderId("42"), 4_000_000_000u, "north")
		assertThat(keys.property(order)).isEqualTo("key:42")
		assertThat(keys.valueOfProperty(order)).isEqualTo("key:42")
		assertThat(keys.unsignedProperty(order)).isEqualTo("key:4000000000")
		assertThat(keys.internalProperty(order)).isEqualTo("key:north")
	}

	/** A value class is what is in it, so that both ways to write a key lead to one lock. */
	@Test
	fun takesValuesForWhatIsInThem() {
		assertThat(keys.whole(OrderId("42"))).isEqualTo("key:42")
		assertThat(keys.list(Ids(listOf("1", "2")))).isEqualTo("key:1, key:2")
		assertThat(keys.methodOfUnderlying(OrderId("42"))).isEqualTo("key:2")
		assertThat(keys.unsigned(4_000_000_000u)).isEqualTo("key:4000000000")
		assertThat(keys.long(ULong.MAX_VALUE)).isEqualTo("key:" + BigInteger.TWO.pow(64).dec())
		assertThat(keys.sum(4_000_000_000u)).isEqualTo("key:4000000001")
		assertThat(keys.duration(90.seconds)).isEqualTo("key:1m 30s")
		assertThat(keys.permits(2u)).isEqualTo(2)
		assertThat(keys.permitsOf(Count(3))).isEqualTo(3)
		assertThat(keys.condition(Count(3))).isEqualTo("none")
	}

	@JvmInline
	value class OrderId(val value: String) {

		val short: String get() = value.take(2)

	}

	@JvmInline
	value class Line(val order: OrderId)

	@JvmInline
	value class Ids(val all: List<String>)

	@JvmInline
	value class Count(val number: Int)

	class Order(val id: OrderId, val weight: UInt, internal val region: String)

	@Suppress("UNUSED_PARAMETER")
	open class Named {

		@DistributedLock
		internal open fun internal(): String = LockContext.current().name()

		@DistributedLock
		open fun ofValue(id: OrderId): String = LockContext.current().name()

		@DistributedLock
		open fun ofNullable(id: OrderId?): String = LockContext.current().name()

		@DistributedLock
		open fun ofUnsigned(count: UInt): String = LockContext.current().name()

		@DistributedLock
		open fun ofDuration(time: Duration): String = LockContext.current().name()

		@DistributedLock
		internal open fun internalOfValue(id: OrderId): String = LockContext.current().name()

		@DistributedLock
		open suspend fun suspending(id: OrderId): String = LockContext.current().name()

		@DistributedLock
		internal open suspend fun internalSuspending(): String = LockContext.current().name()

		@DistributedLock
		open fun flow(id: OrderId): Flow<String> = flow { emit(LockContext.current().name()) }

	}

	@Suppress("UNUSED_PARAMETER")
	open class Fallbacks {

		@DistributedLock(name = "busy", fallback = "insteadOfPlain")
		open fun plain(id: String): String = "done"

		internal fun insteadOfPlain(id: String): String = "internal fallback of $id"

		@DistributedLock(name = "busy", fallback = "insteadOfInternal")
		internal open fun internal(): String = "done"

		private fun insteadOfInternal(): String = "private fallback"

		@DistributedLock(name = "busy", fallback = "insteadOfValue")
		open fun ofValue(id: OrderId): String = "done"

		open fun insteadOfValue(id: OrderId): String = "fallback of $id"

		@DistributedLock(name = "busy", fallback = "insteadOfUnsigned")
		open fun ofUnsigned(count: UInt): String = "done"

		open fun insteadOfUnsigned(count: UInt): String = "fallback of $count"

		@DistributedLock(name = "busy", fallback = "insteadOfDuration")
		open fun ofDuration(time: Duration): String = "done"

		internal fun insteadOfDuration(time: Duration): String = "fallback of $time"

		@DistributedLock(name = "busy", fallback = "insteadWithFailure")
		open fun withFailure(id: OrderId): String = "done"

		open fun insteadWithFailure(id: OrderId, ex: LockAcquisitionTimeoutException): String =
			"fallback of $id after ${ex.lockName()}"

		@DistributedLock(name = "busy", fallback = "insteadOfSuspending")
		open suspend fun suspending(id: OrderId): String = "done"

		internal suspend fun insteadOfSuspending(id: OrderId): String = "fallback of $id"

	}

	@Suppress("UNUSED_PARAMETER")
	open class Keys(private val monitor: LockMonitor) {

		private fun names(): String = LockContext.current().parts().joinToString { it.name() }

		@DistributedLock(name = "key", key = "#id.value")
		open fun value(id: OrderId): String = names()

		@DistributedLock(name = "key", key = "#p0.value")
		open fun position(id: OrderId): String = names()

		@DistributedLock(name = "key", key = "#id.short")
		open fun computed(id: OrderId): String = names()

		@DistributedLock(name = "key", key = "#id.value")
		open suspend fun suspending(id: OrderId): String = names()

		@DistributedLock(name = "key", key = "#line.order.value")
		open fun nested(line: Line): String = names()

		@DistributedLock(name = "key", key = "{#from.value, #to}")
		open fun several(from: OrderId, to: OrderId): String = names()

		@DistributedLock(name = "key", key = "#time.inWholeSeconds")
		open fun secondsOf(time: Duration): String = names()

		@DistributedLock(name = "key", key = "#order.id")
		open fun property(order: Order): String = names()

		@DistributedLock(name = "key", key = "#order.id.value")
		open fun valueOfProperty(order: Order): String = names()

		@DistributedLock(name = "key", key = "#order.weight")
		open fun unsignedProperty(order: Order): String = names()

		@DistributedLock(name = "key", key = "#order.region")
		open fun internalProperty(order: Order): String = names()

		@DistributedLock(name = "key", key = "#id")
		open fun whole(id: OrderId): String = names()

		@DistributedLock(name = "key", key = "#ids")
		open fun list(ids: Ids): String = names()

		@DistributedLock(name = "key", key = "#id.length()")
		open fun methodOfUnderlying(id: OrderId): String = names()

		@DistributedLock(name = "key", key = "#count")
		open fun unsigned(count: UInt): String = names()

		@DistributedLock(name = "key", key = "#count")
		open fun long(count: ULong): String = names()

		@DistributedLock(name = "key", key = "#count + 1")
		open fun sum(count: UInt): String = names()

		@DistributedLock(name = "key", key = "#time")
		open fun duration(time: Duration): String = names()

		@DistributedLock(name = "permits", permits = "#count")
		open fun permits(count: UInt): Int = monitor.held().single().permits()

		@DistributedLock(name = "permits", permits = "#count.number")
		open fun permitsOf(count: Count): Int = monitor.held().single().permits()

		@DistributedLock(name = "condition", condition = "#count.number < 3")
		open fun condition(count: Count): String = LockContext.find().map { it.name() }.orElse("none")

	}

}
