package io.lockstarter.kotlin

import io.lockstarter.annotation.DistributedLock
import io.lockstarter.annotation.OnTimeout
import io.lockstarter.core.LockRegistry
import io.lockstarter.core.LockRequest
import io.lockstarter.core.LockType
import io.lockstarter.reactor.ReactorLocks
import io.lockstarter.testing.ChildJvm
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.springframework.boot.SpringBootConfiguration
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.RestController
import reactor.blockhound.BlockHound
import reactor.blockhound.BlockingMethod
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * An application of WebFlux with coroutines in a JVM of its own, which BlockHound watches: it prints each call that
 * blocks a thread which serves many. The very first lock is taken by such a thread.
 */
object WatchedApplication {

	private val client = HttpClient.newHttpClient()

	@JvmStatic
	fun main(args: Array<String>) {
		ChildJvm.exitWithParent()
		BlockHound.install({ builder ->
			builder.blockingMethodCallback(::tell)
				// Netty's own, for the few instructions in which it makes room for threads
				.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator\$MagazineGroup", "allocate")
				// Kotlin's own, with which Spring looks at handlers
				.allowBlockingCallsInside("kotlin.reflect.jvm.internal.impl.storage.DefaultSimpleLock", "lock")
		})
		SpringApplicationBuilder(Application::class.java, Controller::class.java)
			.web(WebApplicationType.REACTIVE)
			.properties("server.port=0", "spring.main.banner-mode=off", "distributed-lock.wait-time=20s",
				"spring.data.redis.host=${args[0]}", "spring.data.redis.port=${args[1]}")
			.run().use { context ->
				val port = context.environment.getProperty("local.server.port")
				for (path in listOf("mono", "flux", "suspend", "flow", "pipeline", "block", "skipped", "purpose")) {
					request(port, path)
				}
				runBlocking { Coroutines(context.getBean(LockRegistry::class.java)).run() }
			}
		println("done")
		exitProcess(0)
	}

	private fun tell(method: BlockingMethod) {
		val stack = StackWalker.getInstance().walk { frames -> frames.skip(3).limit(60).toList() }
		if (!waitsForOtherWriters(stack)) {
			println("blocked: $method on ${Thread.currentThread().name}: $stack")
		}
	}

	/**
	 * Returns whether Lettuce waits for the few instructions in which another thread registers as a writer of the same
	 * connection. Any use of Lettuce may wait there.
	 */
	private fun waitsForOtherWriters(stack: List<StackWalker.StackFrame>): Boolean {
		val caller = stack.map { it.className }.firstOrNull { !it.startsWith("java.") && !it.startsWith("jdk.") }
		return caller == "io.lettuce.core.protocol.SharedLock"
	}

	/** Several requests for one lock at the same time. */
	private fun request(port: String?, path: String) {
		val request = HttpRequest.newBuilder(URI.create("http://localhost:$port/$path")).timeout(Duration.ofSeconds(60)).build()
		val responses = (1..4).map { client.sendAsync(request, HttpResponse.BodyHandlers.ofString()) }.map { it.join() }
		responses.filter { it.statusCode() != 200 }.forEach { println("failed: $path: ${it.body()}") }
	}

	/** Wait for something, as no such thread may. */
	fun blockOnPurpose(): String = CompletableFuture<String>().completeOnTimeout("ok", 20, TimeUnit.MILLISECONDS).get()

	/** Coroutines that want one lock at the same time, on the threads of the default dispatcher. */
	private class Coroutines(private val locks: LockRegistry) {

		suspend fun run() {
			for (type in LockType.entries) {
				attempt("withLock $type") { locks.withLock("code $type", type = type) { delay(5) } }
			}
			attempt("permits") { locks.withLock("permits", permits = 2) { delay(5) } }
			attempt("tryWithLock") { locks.tryWithLock("tried", waitTime = 20.milliseconds) { delay(50) } }
			attempt("nested") { locks.withLock("outer") { locks.withLock("outer") { locks.withLock("inner") { delay(5) } } } }
			attempt("on purpose") { blockOnPurpose() }
		}

		private suspend fun attempt(what: String, work: suspend () -> Unit) {
			try {
				withContext(Dispatchers.Default) {
					withTimeout(60.seconds) { coroutineScope { (1..6).map { async { work() } }.awaitAll() } }
				}
			}
			catch (ex: Exception) {
				println("failed: $what: $ex")
			}
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	class Application

	@RestController
	open class Controller(private val locks: LockRegistry) {

		@GetMapping("/mono")
		@DistributedLock(name = "mono")
		open fun mono(): Mono<String> = Mono.delay(Duration.ofMillis(5)).thenReturn("ok")

		@GetMapping("/flux")
		@DistributedLock(name = "flux", type = LockType.FAIR)
		open fun flux(): Flux<String> = Flux.just("o", "k")

		@GetMapping("/suspend")
		@DistributedLock(name = "suspend")
		open suspend fun suspending(): String {
			delay(5)
			return "ok"
		}

		@GetMapping("/flow")
		@DistributedLock(name = "flow", permits = "2")
		open fun flow(): Flow<String> = flowOf("o", "k")

		@GetMapping("/pipeline")
		open fun pipeline(): Mono<String> = ReactorLocks(locks).withLock(LockRequest.of("pipeline"), Mono.just("ok"))

		@GetMapping("/block")
		open suspend fun block(): String = locks.withLock("block") { "ok" }

		@GetMapping("/skipped")
		@DistributedLock(name = "skipped", waitTime = "0", onTimeout = OnTimeout.SKIP)
		open fun skipped(): Mono<String> = Mono.delay(Duration.ofMillis(50)).thenReturn("ok")

		@GetMapping("/purpose")
		open fun purpose(): Mono<String> = Mono.fromCallable { blockOnPurpose() }

	}

}
