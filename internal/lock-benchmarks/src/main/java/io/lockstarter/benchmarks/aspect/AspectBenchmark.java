package io.lockstarter.benchmarks.aspect;

import java.util.concurrent.TimeUnit;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.NamedLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Benchmark of the same work without a lock, with a programmatic lock, and with an
 * annotation. The locks are in memory, because a round trip to Redis would hide the cost
 * of the aspect.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AspectBenchmark {

	private final ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
		.web(WebApplicationType.NONE)
		.bannerMode(Banner.Mode.OFF)
		.properties("distributed-lock.backend=in-memory")
		.run();

	private final Counter counter = this.application.getBean(Counter.class);

	private final LockRegistry registry = this.application.getBean(LockRegistry.class);

	private long id;

	/**
	 * Closes the application.
	 */
	@TearDown
	public void close() {
		this.application.close();
	}

	/**
	 * Does the work without a lock.
	 * @return the result
	 */
	@Benchmark
	public long plain() {
		return this.counter.add(nextId());
	}

	/**
	 * Does the work under a lock of the registry.
	 * @return the result
	 */
	@Benchmark
	public long programmatic() {
		long next = nextId();
		NamedLock lock = this.registry.get("counter:" + next);
		lock.lock();
		try {
			return this.counter.add(next);
		}
		finally {
			lock.unlock();
		}
	}

	/**
	 * Does the work in an annotated method.
	 * @return the result
	 */
	@Benchmark
	public long annotated() {
		return this.counter.addLocked(nextId());
	}

	private long nextId() {
		this.id = (this.id + 1) % 64;
		return this.id;
	}

	/**
	 * Application with locks in memory.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	@Import(Counter.class)
	static class Application {

	}

}
