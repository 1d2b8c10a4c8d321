package io.lockstarter.dashboard;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.core.backend.LockBackend;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Watches over all registries. One thread does their work; it ends when no page has been
 * open for a while.
 */
final class ClusterWatches implements SmartLifecycle, AutoCloseable {

	/**
	 * Phase before that of the locks (2), whose connections are closed if the context is
	 * only stopped or paused.
	 */
	private static final int PHASE = 3;

	/** Time limit of a shutdown for notifying the other instances: 1 s. */
	private static final long LEAVE_TIMEOUT_MILLIS = 1000;

	private static final long IDLE_SECONDS = 10;

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			LockThreads.daemons("lock-dashboard"), new ThreadPoolExecutor.DiscardPolicy());

	private final Map<LockMonitor, ClusterWatch> watches = new HashMap<>();

	private final Map<LockMonitor, LockBackend> backends;

	private final ConfigurableApplicationContext context;

	private volatile boolean running;

	/**
	 * Creates watches over the registries of an endpoint.
	 * @param singleBackend the backend, if the application has exactly one
	 * @param version the version of the application, or {@code null} if it is unknown
	 */
	ClusterWatches(LocksEndpoint endpoint, ObjectProvider<LockBackend> singleBackend,
			ConfigurableApplicationContext context, IncidentRecorder recorder, @Nullable String version) {
		this.context = context;
		this.executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		String id = UUID.randomUUID().toString();
		long begun = System.nanoTime();
		this.backends = backends(endpoint, singleBackend, context);
		monitors(endpoint).forEach((monitor) -> {
			LockBackend backend = this.backends.get(monitor);
			Supplier<InstanceReport> own = () -> InstanceReport.of(
					new InstanceReport.Identity(id, (backend != null) ? backend.clientId() : "", version,
							TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)),
					monitor, Instant.now(), recorder.lost(monitor.registry()), recorder.incidents(monitor.registry()));
			this.watches.put(monitor,
					new ClusterWatch(id, (backend != null) ? backend.messages() : ClientMessages.NONE, own,
							new BackendInspector(monitor, backend, this.executor, System::nanoTime), this.executor,
							System::nanoTime));
		});
	}

	private static List<LockMonitor> monitors(LocksEndpoint endpoint) {
		return endpoint.registries().isEmpty() ? List.of(endpoint.monitor(null))
				: endpoint.registries().stream().map(endpoint::monitor).toList();
	}

	/**
	 * Returns the backends that are beans. A registry that the application has created
	 * itself may have a backend that is no bean.
	 */
	private static Map<LockMonitor, LockBackend> backends(LocksEndpoint endpoint,
			ObjectProvider<LockBackend> singleBackend, BeanFactory beans) {
		Map<LockMonitor, LockBackend> backends = new HashMap<>();
		singleBackend.ifUnique((backend) -> {
			boolean one = endpoint.registries().isEmpty();
			backends.put(endpoint.monitor(one ? null : LockRequest.DEFAULT_REGISTRY), backend);
		});
		endpoint.registries()
			.stream()
			.filter((name) -> beans.containsBean(name + "LockBackend"))
			.forEach((name) -> backends.put(endpoint.monitor(name),
					beans.getBean(name + "LockBackend", LockBackend.class)));
		return backends;
	}

	/**
	 * Starts or prolongs the watch over a registry, and waits for its first inspection.
	 */
	ClusterWatch watch(LockMonitor monitor) throws InterruptedException {
		ClusterWatch watch = Objects.requireNonNull(this.watches.get(monitor));
		watch.watchAndAwaitInspection();
		return watch;
	}

	/** Returns the address of the backend of a registry, or {@code null} if unknown. */
	@Nullable String address(LockMonitor monitor) {
		LockBackend backend = this.backends.get(monitor);
		return (backend != null) ? backend.location().get("address") : null;
	}

	@Override
	public void start() {
		this.executor.execute(() -> this.watches.values().forEach(ClusterWatch::open));
		this.running = true;
	}

	/**
	 * Leaves without blocking the other beans of this phase. If the context is closed,
	 * this instance leaves only after its locks have been released.
	 */
	@Override
	public void stop(Runnable callback) {
		this.running = false;
		CompletableFuture<?> left = this.context.isClosed() ? CompletableFuture.completedFuture(null) : leave();
		left.whenComplete((notified, failure) -> callback.run());
	}

	/** Notifies the other instances, and uses no connection from then on. */
	private CompletableFuture<?> leave() {
		return CompletableFuture
			.allOf(this.watches.values().stream().map(ClusterWatch::leave).toArray(CompletableFuture[]::new))
			.completeOnTimeout(null, LEAVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
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
		leave().join();
		this.executor.shutdownNow();
	}

}
