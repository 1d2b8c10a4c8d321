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
import org.springframework.context.SmartLifecycle;

/**
 * The watch of each registry. One thread does all of their work; it ends when nobody has
 * looked for a while.
 */
final class ClusterWatches implements SmartLifecycle, AutoCloseable {

	/**
	 * Leaves when locks have been released, whose phase is 2, and while there are
	 * connections, whose phase is 0.
	 */
	private static final int PHASE = 1;

	/** For how long a shutdown waits until others are told of it. */
	private static final long GOODBYE_MILLIS = 1000;

	private static final long IDLE_SECONDS = 10;

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			LockThreads.daemons("lock-dashboard"), new ThreadPoolExecutor.DiscardPolicy());

	private final Map<LockMonitor, ClusterWatch> all = new HashMap<>();

	private volatile boolean running;

	/**
	 * Watches the registries that an endpoint shows.
	 * @param only the backend, if there is only one
	 * @param version the version of the application, if that is known
	 */
	ClusterWatches(LocksEndpoint endpoint, ObjectProvider<LockBackend> only, BeanFactory beans, Troubles troubles,
			@Nullable String version) {
		this.executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		String id = UUID.randomUUID().toString();
		long begun = System.nanoTime();
		Map<LockMonitor, LockBackend> backends = backends(endpoint, only, beans);
		monitors(endpoint).forEach((monitor) -> {
			LockBackend backend = backends.get(monitor);
			Supplier<InstanceReport> own = () -> InstanceReport.of(
					new InstanceReport.Identity(id, (backend != null) ? backend.clientId() : "", version,
							TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)),
					monitor, Instant.now(), troubles.lost(monitor.registry()), troubles.incidents(monitor.registry()));
			this.all.put(monitor,
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
	 * A registry that the application has made itself may have no backend that is a bean.
	 */
	private static Map<LockMonitor, LockBackend> backends(LocksEndpoint endpoint, ObjectProvider<LockBackend> only,
			BeanFactory beans) {
		Map<LockMonitor, LockBackend> backends = new HashMap<>();
		only.ifUnique((backend) -> {
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

	/** Watches a registry from now on, and waits until anything is known of it. */
	ClusterWatch look(LockMonitor monitor) throws InterruptedException {
		ClusterWatch watch = Objects.requireNonNull(this.all.get(monitor));
		watch.look();
		return watch;
	}

	@Override
	public void start() {
		this.executor.execute(() -> this.all.values().forEach(ClusterWatch::open));
		this.running = true;
	}

	/** Does not hold up the other beans of this phase, and is over in a moment. */
	@Override
	public void stop(Runnable callback) {
		this.running = false;
		CompletableFuture.allOf(this.all.values().stream().map(ClusterWatch::leave).toArray(CompletableFuture[]::new))
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
		this.executor.shutdownNow();
	}

}
