package io.lockstarter.dashboard;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.backend.LockBackend;

import org.springframework.context.SmartLifecycle;

/**
 * The roll call of each registry, all of which are answered by one thread. It ends when
 * nobody has called for a while.
 */
final class RollCalls implements SmartLifecycle, AutoCloseable {

	/**
	 * Leaves when locks have been released, whose phase is 2, and while there are
	 * connections, whose phase is 0.
	 */
	private static final int PHASE = 1;

	/** For how long a shutdown waits until others are told of it. */
	private static final long GOODBYE_MILLIS = 1000;

	private static final int MOST_CALLERS = 100;

	private static final long IDLE_SECONDS = 10;

	private final ThreadPoolExecutor answering = new ThreadPoolExecutor(0, 1, IDLE_SECONDS, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(MOST_CALLERS), LockThreads.daemons("lock-dashboard"),
			new ThreadPoolExecutor.DiscardPolicy());

	private final Function<LockMonitor, InstanceReport> report;

	private final Map<LockMonitor, RollCall> all = new HashMap<>();

	private volatile boolean running;

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
	public void start() {
		this.all.values().forEach(RollCall::comeBack);
		this.running = true;
	}

	/** Does not hold up the other beans of this phase, and is over in a moment. */
	@Override
	public void stop(Runnable callback) {
		this.running = false;
		CompletableFuture.allOf(this.all.values().stream().map(RollCall::leave).toArray(CompletableFuture[]::new))
			.completeOnTimeout(null, GOODBYE_MILLIS, TimeUnit.MILLISECONDS)
			.whenComplete((told, failure) -> callback.run());
	}

	@Override
	public void stop() {
		stop(() -> {
		});
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public void close() {
		this.answering.shutdownNow();
	}

}
