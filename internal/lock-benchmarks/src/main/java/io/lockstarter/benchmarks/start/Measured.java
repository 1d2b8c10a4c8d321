package io.lockstarter.benchmarks.start;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Runner that starts an application, calls it once, and prints the measurements. Uses
 * only classes that all applications have on their class path.
 */
final class Measured {

	private Measured() {
	}

	/** Runs an application until its input is closed. */
	static void run(Class<?> application, String... args) throws IOException {
		try (ConfigurableApplicationContext context = SpringApplication.run(application, args)) {
			long ready = System.nanoTime();
			int threadsReady = threads();
			context.getBean(Work.class).call();
			long done = System.nanoTime();
			Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
			int threadsCalled = threads();
			// This call itself loads a few hundred classes
			long classes = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
			System.out.println(new FirstCall(ready, done, cpu.toNanos(), threadsReady, threadsCalled, classes).line());
			while (System.in.read() >= 0) {
				// The content does not matter
			}
		}
	}

	private static int threads() {
		ThreadGroup group = Thread.currentThread().getThreadGroup();
		while (group.getParent() != null) {
			group = group.getParent();
		}
		return group.activeCount();
	}

}
