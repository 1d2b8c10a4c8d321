package io.lockstarter.dashboard;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.backend.LockBackend;

/**
 * The roll call of each registry, all of which are answered by one thread. It ends when
 * nobody has called for a while.
 */
final class RollCalls implements AutoCloseable {

	private static final int MOST_CALLERS = 100;

	private static final long IDLE_SECONDS = 10;

	private final ThreadPoolExecutor answering = new ThreadPoolExecutor(0, 1, IDLE_SECONDS, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(MOST_CALLERS), LockThreads.daemons("lock-dashboard"),
			new ThreadPoolExecutor.DiscardPolicy());

	private final Function<LockMonitor, InstanceReport> report;

	private final Map<LockMonitor, RollCall> all = new HashMap<>();

	/**
	 * Answer the calls in the backends of registries.
	 * @param backends the backends by the monitors of their registries
	 * @param report what to answer, by monitor
	 */
	RollCalls(Map<LockMonitor, LockBackend> backends, Function<LockMonitor, InstanceReport> report) {
		this.report = report;
		backends.forEach((monitor, backend) -> this.all.put(monitor,
				new RollCall(backend, () -> report.apply(monitor), this.answering, System::nanoTime)));
	}

	/** Call the instances that share the locks of a monitor's registry. */
	RollCall.Roll call(LockMonitor monitor) {
		RollCall call = this.all.get(monitor);
		return (call != null) ? call.call() : RollCall.Roll.of(this.report.apply(monitor));
	}

	@Override
	public void close() {
		this.answering.shutdownNow();
	}

}
