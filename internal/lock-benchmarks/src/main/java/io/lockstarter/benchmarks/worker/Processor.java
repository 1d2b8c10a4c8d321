package io.lockstarter.benchmarks.worker;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;

/**
 * Processor time of this JVM and of its compilers.
 */
final class Processor {

	private static final OperatingSystemMXBean SYSTEM = ManagementFactory
		.getPlatformMXBean(OperatingSystemMXBean.class);

	private Processor() {
	}

	static long usedNanos() {
		return SYSTEM.getProcessCpuTime();
	}

	static long compilerMillis() {
		return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
	}

}
