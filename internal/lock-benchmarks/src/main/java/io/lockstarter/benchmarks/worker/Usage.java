package io.lockstarter.benchmarks.worker;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.TreeMap;

/**
 * Resource usage of a JVM.
 *
 * @param nanoTime the time of the measurement
 * @param cpuNanos the processor time of the process
 * @param threads the processor time of each live thread, by name and number
 */
public record Usage(long nanoTime, long cpuNanos, Map<String, Long> threads) {

	static Usage now() {
		ThreadMXBean bean = ManagementFactory.getThreadMXBean();
		Map<String, Long> threads = new TreeMap<>();
		for (long id : bean.getAllThreadIds()) {
			ThreadInfo info = bean.getThreadInfo(id);
			if (info != null) {
				threads.put(info.getThreadName() + "#" + id, bean.getThreadCpuTime(id));
			}
		}
		return new Usage(System.nanoTime(), Processor.usedNanos(), threads);
	}

}
